#!/bin/bash
# What cephx costs once a session is open: instructions of one operation of an established session in
# crc mode, with cephx and with authentication none, at client and server. callgrind runs signetd, and
# signet bench beside it with N and with 2N operations: the difference is what N operations took, without
# start-up and login. Rounds are interleaved, medians count: hash tables and wake-ups fall out differently
# each time.
# usage: auth.sh BIN [--ops N] [--rounds N] [--size BYTES] [--depth N] [--handler NAME] [--bar PERCENT]
# BIN holds signet and signetd. Exit code 1 when cephx makes more than --bar percent (1) of difference
# anywhere, 2 when it cannot be measured.
set -eu
BIN=$(readlink -f "${1:?usage: auth.sh BIN [OPTION...]}")
shift
here=$(dirname "$(readlink -f "$0")")
OPS=4000 ROUNDS=3 SIZE=4096 DEPTH=1 HANDLER=openssl BAR=1
WORK=$(mktemp -d)
# shellcheck disable=SC2034 # of cluster.sh
CEPH=16 RUN=()
# shellcheck source=../test/interop/cluster.sh
. "$here/../test/interop/cluster.sh"
trap 'cluster_stop_all; rm -rf "$WORK"' EXIT
trap 'exit 130' INT TERM

die() {
    echo "bench auth: $*" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || die "$1 wants a value"
    case $1 in
    --ops) OPS=$2 ;;
    --rounds) ROUNDS=$2 ;;
    --size) SIZE=$2 ;;
    --depth) DEPTH=$2 ;;
    --handler) HANDLER=$2 ;;
    --bar) BAR=$2 ;;
    *) die "no option $1; there are --ops --rounds --size --depth --handler --bar" ;;
    esac
    shift 2
done
command -v valgrind >/dev/null || die "valgrind is missing (Debian package valgrind)"

counted() { # OUT PROGRAM ARGUMENT...: in OUT, and OUT.1 ... for each dump
    local out=$1
    shift
    exec setpriv --pdeathsig KILL -- valgrind --tool=callgrind --callgrind-out-file="$out" \
        --log-file="$out.log" "$@"
}

instructions() { # OUT
    awk '/^totals:/ { print $2; found = 1 } END { exit !found }' "$1" ||
        die "valgrind has counted nothing: $(tail -n 3 "${1%.*}.log")"
}

start_server() { # METHOD
    local port dir=$WORK/server
    rm -rf "$dir"
    mkdir "$dir"
    port=$(free_ports 2)
    MON=v2:127.0.0.1:$port KEYRING=$dir/state/keyring DUMPS=0
    counted "$dir/counts" "$BIN/signetd" --state "$dir/state" --mon "$MON" \
        --osd "v2:127.0.0.1:$((port + 1))" --metrics none --pool bench=1 --threads 1 \
        --handler "$HANDLER" --ms-mode crc --auth "$1" --log-level error </dev/null >"$dir/log" 2>&1 &
    DAEMONS=("$!")
    wait_for 120 listening "$port" || die "signetd does not listen: $(tail -n 1 "$dir/log")"
}

# Sets AT_SERVER: what the server took since the last time.
ask_server() {
    DUMPS=$((DUMPS + 1))
    timeout 60 callgrind_control --dump "${DAEMONS[0]}" >"$WORK/said" 2>&1 ||
        die "callgrind_control failed: $(tail -n 1 "$WORK/said")"
    wait_for 10 grep -qs ^totals: "$WORK/server/counts.$DUMPS" || die "signetd gives no figures"
    AT_SERVER=$(instructions "$WORK/server/counts.$DUMPS")
}

# Sets AT_CLIENT and AT_SERVER.
run() { # METHOD KIND OPERATIONS
    local client=("$BIN/signet" bench 3600 "$2" --max-objects "$3" -p bench -m "$MON" -k "$KEYRING"
        -t "$DEPTH" --ms-mode crc --auth "$1" --handler "$HANDLER" --timeout 120)
    [ "$2" != write ] || client+=(-b "$SIZE" --no-cleanup)
    (counted "$WORK/counts" "${client[@]}") >"$WORK/said" 2>&1 ||
        die "signet bench failed: $(tail -n 3 "$WORK/said")"
    grep -Eq "^Total (writes|reads) made: +$3\$" "$WORK/said" || die "not $3 operations: $(cat "$WORK/said")"
    AT_CLIENT=$(instructions "$WORK/counts")
    ask_server
}

# Adds to the figures: KIND METHOD, instructions of one operation at client and server.
measure() { # METHOD
    local kind client server
    start_server "$1"
    ask_server
    for kind in write rand; do # rand reads what write has left
        run "$1" "$kind" "$OPS"
        client=$AT_CLIENT server=$AT_SERVER
        run "$1" "$kind" $((2 * OPS))
        awk -v n="$OPS" -v c=$((AT_CLIENT - client)) -v s=$((AT_SERVER - server)) \
            -v head="$kind $1" 'BEGIN { printf "%s %.1f %.1f\n", head, c / n, s / n }' >>"$WORK/figures"
    done
    cluster_stop_all
}

echo "instructions of one operation, $SIZE bytes, $DEPTH under way, crc mode, handler $HANDLER," \
    "$OPS operations, medians of $ROUNDS"
"$BIN/signet" --version
for ((round = 1; round <= ROUNDS; round++)); do
    echo "bench auth: round $round of $ROUNDS" >&2
    for method in none cephx; do
        measure "$method"
    done
done
awk -v bar="$BAR" -f "$here/median.awk" -f "$here/auth.awk" "$WORK/figures"
