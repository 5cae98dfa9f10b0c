#!/bin/bash
# Each error code is expected by name in some test: as SIGNET_E_NAME or assert_err(..., NAME).
set -eu
names=$(sed -n 's/^    X(\([A-Z0-9_]*\),.*/\1/p' include/signet/error.h)
[ -n "$names" ]
tests=$(git ls-files 'test/*.c' | grep -v error_test | xargs cat | tr '\n' ' ')
bad=0
for name in $names; do
    if ! grep -qE "SIGNET_E_$name\b|assert_err\([^;]*, *$name\)" <<<"$tests"; then
        echo "no test expects $name"
        bad=1
    fi
done
echo "$(wc -w <<<"$names") codes"
exit "$bad"
