#!/bin/bash
# Counts the instructions of one operation with 100 and with 10,000 live keys: callgrind runs
# bench_many_keys twice per case with different numbers of operations, and the difference is
# what the operations took, without start-up. Usage: bench/instructions.sh [HANDLER...]
# Exit code 1 when one takes more instructions with more keys.
set -euo pipefail

program=$(dirname "$(readlink -f "$0")")/../build/release/bin/bench_many_keys
[ -x "$program" ] || {
    echo "instructions: build first: ./dev build" >&2
    exit 2
}
command -v valgrind >/dev/null || {
    echo "instructions: valgrind is missing" >&2
    exit 2
}
[ $# -gt 0 ] || set -- nss openssl
few=20000 more=40000 # whole rounds through both numbers of keys

# counted HANDLER KEYS OPERATIONS: instructions of the whole process.
counted() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" \
        --only "$1 / $2 keys" --fixed "$3" 2>&1 >/dev/null |
        awk '/Collected/ { print $4 }'
}

# per_operation HANDLER KEYS
per_operation() {
    local a b
    a=$(counted "$1" "$2" $few)
    b=$(counted "$1" "$2" $more)
    awk -v a="$a" -v b="$b" -v n=$((more - few)) 'BEGIN { printf "%.2f\n", (b - a) / n }'
}

code=0
for handler in "$@"; do
    few_keys=$(per_operation "$handler" 100)
    many_keys=$(per_operation "$handler" 10000)
    echo "$handler: $few_keys instructions per operation with 100 keys, $many_keys with 10000"
    awk -v a="$few_keys" -v b="$many_keys" 'BEGIN { exit !(b <= a * 1.005) }' || code=1
done
exit $code
