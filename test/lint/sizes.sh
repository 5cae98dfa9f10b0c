#!/bin/bash
# Lengths of files and functions. Formatted code puts the braces of a function, and of nothing
# else that is long, into the first column.
set -eu
max_file=400 max_function=100 max_p90=45

files() {
    git ls-files 'src/*.[ch]' 'include/*.h' 'test/*.[ch]' 'bench/*.[ch]' ':!test/kat'
}

functions() { # prints LENGTH FILE:LINE
    files | grep '\.c$' | xargs awk '
        /^{/ { start = FNR }
        /^}/ && start { print FNR - start + 1, FILENAME ":" start; start = 0 }'
}

rank() { # PERCENT, of the numbers on stdin
    sort -n | awk -v p="$1" '{ v[NR] = $1 } END { print v[int((NR - 1) * p / 100) + 1] }'
}

bad=0
lengths=$(functions)
sizes=$(files | xargs wc -l | awk '$2 != "total" { print $1, $2 }')
if long=$(awk -v max=$max_file '$1 > max' <<<"$sizes" | grep .); then
    printf 'files of more than %d lines:\n%s\n' $max_file "$long"
    bad=1
fi
if long=$(awk -v max=$max_function '$1 > max' <<<"$lengths" | grep .); then
    printf 'functions of more than %d lines:\n%s\n' $max_function "$long"
    bad=1
fi
p90=$(rank 90 <<<"$lengths")
[ "$p90" -le "$max_p90" ] || bad=1
printf 'files: median %d, longest %d lines; functions: median %d, p90 %d, longest %d\n' \
    "$(rank 50 <<<"$sizes")" "$(rank 100 <<<"$sizes")" \
    "$(rank 50 <<<"$lengths")" "$p90" "$(rank 100 <<<"$lengths")"
exit "$bad"
