#!/bin/bash
# signetd_bench.sh SIGNET SIGNETD MON_CLIENT HANDLER: signet bench against signetd.
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
handler=$4

bench() { # OPTION...
    "$signet" bench -p bench -m "${mon%/*}" -k "$work/state/keyring" --handler "$handler" "$@"
}

refused() { # PATTERN ARGUMENT...: exit code 1 and a message that matches
    local pattern=$1 code=0
    shift
    bench "$@" >"$work/out" 2>&1 || code=$?
    if [ "$code" != 1 ] || ! grep -Eq -- "$pattern" "$work/out"; then
        fail "bench $* ended with $code: $(cat "$work/out")"
    fi
}

number() { # LABEL: of the summary
    sed -n "s/^$1: *\([0-9.e+-]*\)$/\1/p" "$work/out"
}

expect() { # LABEL OPERATOR VALUE
    awk "BEGIN { exit !($(number "$1") $2 $3) }" || fail "$1 is $(number "$1"): $(cat "$work/out")"
}

start --pool bench=1 --pool other=2 --ms-mode prefer-secure --handler "$handler" --store-bytes 8G

refused 'Must write data before running a read' 1 seq
for mode in secure crc; do
    bench 1 write -b 4096 --no-cleanup --ms-mode "$mode" >"$work/out" || fail "write: $(cat "$work/out")"
    grep -q '^Object prefix: benchmark_data_' "$work/out" || fail "no prefix"
    written=$(number 'Total writes made')
    expect 'Total writes made' '>' 16
    expect 'Average IOPS' '>' 16
    expect 'p99.9 latency(s)' '>=' "$(number 'p50 latency(s)')"
    if [ "$mode" = crc ]; then
        expect 'Bytes sealed' == 0
    else
        expect 'Bytes sealed' '>' "$((written * 4096))"
        expect 'Bytes sealed' '<' "$((written * 5000))"
    fi
    bench 20 seq --ms-mode "$mode" --conns 3 --threads 2 >"$work/out" || fail "seq: $(cat "$work/out")"
    [ "$(number 'Total reads made')" = "$written" ] || fail "seq read $(number 'Total reads made') of $written"
    bench 1 rand --ms-mode "$mode" -t 40 --format json >"$work/out" || fail "rand: $(cat "$work/out")"
    grep -q '"verified": true' "$work/out" || fail "rand: $(cat "$work/out")"
done

# No more than was asked for.
bench 30 write -b 4096 --no-cleanup --max-objects 100 --run-name few >"$work/out" ||
    fail "write: $(cat "$work/out")"
grep -q 'for up to 30 seconds or 100 objects' "$work/out" || fail "$(cat "$work/out")"
expect 'Total writes made' == 100
bench 30 seq --max-objects 60 --run-name few >"$work/out" && expect 'Total reads made' == 60
bench 30 seq --max-objects 200 --run-name few >"$work/out" && expect 'Total reads made' == 100
bench 30 rand --max-objects 300 --run-name few >"$work/out" && expect 'Total reads made' == 300

# What it removes is gone, and the record with it.
bench 1 write -b 100 -t 1 --run-name mine >"$work/out" || fail "write: $(cat "$work/out")"
grep -q "^Removed $(number 'Total writes made') objects" "$work/out" || fail "$(cat "$work/out")"
refused 'Must write data' 1 seq --run-name mine
bench 1 seq >"$work/out" || fail "the other run is gone: $(cat "$work/out")"

# cleanup takes what the runs above have left, of any number of pages, and nothing else.
bench 1 write -b 100 --no-cleanup --run-name other >"$work/out" || fail "write: $(cat "$work/out")"
prefix=$(sed -n 's/^Object prefix: //p' "$work/out")
count=$(number 'Total writes made')
bench cleanup --prefix "$prefix" --run-name other >"$work/out" || fail "cleanup: $(cat "$work/out")"
grep -q "^Removed $count objects" "$work/out" || fail "it had $count: $(cat "$work/out")"
refused 'Must write data' 1 seq --run-name other
bench 1 seq >"$work/out" || fail "cleanup took another run's: $(cat "$work/out")"
bench cleanup -t 64 --conns 4 --format json >"$work/out" || fail "cleanup: $(cat "$work/out")"
grep -Eq '"removed": [1-9][0-9]{2}' "$work/out" || fail "$(cat "$work/out")"
refused 'Must write data' 1 seq
bench cleanup >"$work/out" || fail "cleanup of nothing: $(cat "$work/out")"
grep -q '^Removed 0 objects' "$work/out" || fail "$(cat "$work/out")"

# Whoever may not, does not.
run_commands <<<'{"prefix": "auth get-or-create", "entity": "client.r", "caps": ["mon", "allow r", "osd", "allow r pool=bench"]}' |
    sed 1s/^0.// >"$work/r.keyring" || fail "no client.r"
refused 'Operation not permitted' 1 write -n client.r -k "$work/r.keyring"
refused "there is no pool 'nothing' \\(the cluster has bench, other\\)" 1 seq -p nothing
refused "there is no pool 'a\\\\x1b\[2J\\\\x0ab\\\\xc2\\\\x9bé'" 1 seq -p $'a\e[2J\nb\xc2\x9bé'
stop

# A store that is full says so and keeps what it has.
start --pool bench=1 --store-bytes 64M
bench 1 write -b 64 -t 1 --no-cleanup >"$work/out" || fail "write: $(cat "$work/out")"
refused 'No space left on device' 30 write -b 1M --run-name full
bench 20 seq >"$work/out" || fail "a full store has lost objects: $(cat "$work/out")"

# A daemon that goes away in the middle.
(sleep 1; kill -9 "$pid") &
refused 'no other came about in time' 20 rand --conns 3 --timeout 1.5
wait "$pid" 2>/dev/null || true
pid=
