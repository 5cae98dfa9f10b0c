#!/bin/bash
# No comparison in variable time of anything that is named like a secret, and no other source of
# random numbers than the handlers' and signet_env.
set -eu
bad=0
if git grep -nE '\b(memcmp|bcmp|strn?cmp) *\([^;]*(tag|mac\b|sig\b|signature|key\b|secret|proof|nonce|challenge)' -- 'src/*.c' |
    grep -vE '"[^"]*"'; then
    echo "use signet_equal()"
    bad=1
fi
if git grep -nE '(^|[^.>_a-z])(s?rand(om)?|drand48|rand_r)\(' -- 'src/*.c' 'src/*.h'; then
    echo "not a source of random numbers for secrets"
    bad=1
fi
if git grep -nE '\b(alloca|strcpy|strcat|v?sprintf|gets|strtok|ato[il]l?) *\(' -- 'src/*.c' 'include/*.h'; then
    echo "functions that check nothing"
    bad=1
fi
exit "$bad"
