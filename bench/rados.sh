#!/bin/bash
# The table of rados bench, side by side: clients {rados bench, signet bench} against servers
# {ceph-osd with memstore, signetd}, without authentication (none: crc, no cephx), crc and secure, with
# either handler where signet takes part and has anything to seal or to sign.
# Rounds are interleaved: each goes through all rows, so that what disturbs one disturbs the rest.
# usage: rados.sh BIN [--seconds N] [--rounds N] [--size BYTES] [--depth N] [--only REGEX]
#                 [--modes none,crc,secure] [--tsv FILE]
# BIN holds signet and signetd. Rows that need Ceph are left out where it is not installed. A client that
# fails is named and the table goes on without that figure; then the exit code is 1.
set -eu
BIN=$(readlink -f "${1:?usage: rados.sh BIN [OPTION...]}")
shift
here=$(dirname "$(readlink -f "$0")")
SECONDS_EACH=4 ROUNDS=3 SIZE=4096 DEPTH=16 ONLY=. MODES=none,crc,secure TSV=''
# shellcheck disable=SC2034
CEPH=16 RUN=() FAILED=()
POOL=bench
WORK=$(mktemp -d)
# shellcheck source=../test/interop/cluster.sh
. "$here/../test/interop/cluster.sh"
trap 'cluster_stop_all; rm -rf "$WORK"' EXIT
trap 'exit 130' INT TERM

die() {
    echo "bench rados: $*" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || die "$1 wants a value"
    case $1 in
    --seconds) SECONDS_EACH=$2 ;;
    --rounds) ROUNDS=$2 ;;
    --size) SIZE=$2 ;;
    --depth) DEPTH=$2 ;;
    --only) ONLY=$2 ;;
    --modes) MODES=$2 ;;
    --tsv) TSV=$2 ;;
    *) die "no option $1; there are --seconds --rounds --size --depth --only --modes --tsv" ;;
    esac
    shift 2
done

IFS=, read -ra MODES <<<"$MODES"
for mode in "${MODES[@]}"; do
    [[ $mode =~ ^(none|crc|secure)$ ]] || die "--modes: '$mode' is not one of none, crc and secure"
done

wanted() { # REGEX: one of the modes is it
    printf '%s\n' "${MODES[@]}" | grep -Exq "$1"
}

# --- servers: each sets SERVER_PID, MON and KEYRING of its name ------------------------------------

declare -A PID MON KEYRING

have_ceph() {
    command -v ceph-osd >/dev/null && command -v ceph-mon >/dev/null && command -v rados >/dev/null
}

start_ceph() { # NAME AUTH
    cluster_start "$1" auth="$2" store=$((8 << 30)) || die "the Ceph cluster did not start, see $DIR"
    in_ceph ceph osd pool create "$POOL" 8 8 >>"$DIR/setup.out" 2>&1
    in_ceph ceph osd pool set "$POOL" size 1 --yes-i-really-mean-it >>"$DIR/setup.out" 2>&1
    # memstore counts its bytes without a lock and may lose some. Below 0 it takes itself for full and
    # drops writes: what stays there keeps it above.
    head -c 64M /dev/zero | in_ceph rados -p "$POOL" put ballast - || die "there is no ballast"
    PID[$1]=$OSD_PID MON[$1]=v2:$MON_V2 KEYRING[$1]=$DIR/client.admin.keyring
}

start_signetd() { # NAME OPTION...
    local port dir=$WORK/$1 name=$1
    shift
    port=$(free_ports 2)
    mkdir "$dir"
    setpriv --pdeathsig KILL -- "$BIN/signetd" --mon "v2:127.0.0.1:$port" \
        --osd "v2:127.0.0.1:$((port + 1))" --state "$dir/state" --keyring "$dir/keyring" \
        --pool "$POOL=1" --allowed-ciphers aes,aes256k --preferred-cipher aes --service-cipher aes \
        --metrics none --log-level error --store-bytes $((8 << 30)) "$@" 2>"$dir/log" &
    PID[$name]=$!
    DAEMONS+=($!)
    MON[$name]=v2:127.0.0.1:$port KEYRING[$name]=$dir/keyring
    wait_for 10 test -s "$dir/keyring" || die "signetd did not start: $(tail -n 1 "$dir/log")"
    wait_for 10 listening "$port" || die "signetd does not listen: $(tail -n 1 "$dir/log")"
}

start_servers() {
    local handler
    if wanted none; then
        ! have_ceph || start_ceph ceph-none none
        start_signetd signetd-none --auth none --ms-mode crc
    fi
    wanted 'crc|secure' || return 0
    ! have_ceph || start_ceph ceph cephx
    for handler in nss openssl; do
        start_signetd "signetd-$handler" --handler "$handler" --ms-mode prefer-secure
    done
}

# --- one measurement ----------------------------------------------------------------------------

# CPU time of a process in microseconds.
cpu_us() { # PID
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) * 1000000 / hz }' "/proc/$1/stat"
}

client_command() { # CLIENT SERVER MODE HANDLER: sets CLIENT_RUN
    local mode=$3 auth=cephx
    [ "$3" != none ] || mode=crc auth=none
    case $1 in
    rados) CLIENT_RUN=(rados -c /dev/null -m "${MON[$2]}" -n client.admin --keyring "${KEYRING[$2]}"
        --log-file /dev/null --auth_client_required "$auth" --ms_client_mode "$mode"
        --ms_mon_client_mode "$mode" -p "$POOL") ;;
    signet) CLIENT_RUN=("$BIN/signet") ;;
    esac
}

bench_arguments() { # CLIENT SERVER MODE HANDLER SECONDS PHASE
    BENCH_ARGUMENTS=(bench "$5" "$6" -t "$DEPTH")
    [ "$6" != write ] || BENCH_ARGUMENTS+=(-b "$SIZE" --no-cleanup)
    [ "$1" != rados ] || return 0
    signet_login "$2" "$3" "$4"
    BENCH_ARGUMENTS+=("${SIGNET_LOGIN[@]}")
}

signet_login() { # SERVER MODE HANDLER: sets SIGNET_LOGIN
    SIGNET_LOGIN=(-p "$POOL" -m "${MON[$1]}" -n client.admin)
    if [ "$2" = none ]; then
        SIGNET_LOGIN+=(--auth none --ms-mode crc)
    else
        SIGNET_LOGIN+=(-k "${KEYRING[$1]}" --ms-mode "$2")
        [ "$3" = - ] || SIGNET_LOGIN+=(--handler "$3")
    fi
}

figure() { # LABEL FILE: the number behind it
    awk -F: -v label="$1" '$1 == label { print $2 + 0; found = 1 } END { if (!found) print "-" }' "$2"
}

failed() { # WHAT SAID
    echo "round $round: $1 failed:"$'\n'"$2" >&2
    FAILED+=("$1")
}

# A line: round, row, phase, IOPS, mean and p99 latency in ms, CPU of client and server in us/op.
measure() { # ROUND CLIENT SERVER MODE HANDLER PHASE
    local said=$WORK/said before after used ops
    client_command "$2" "$3" "$4" "$5"
    bench_arguments "$2" "$3" "$4" "$5" "$SECONDS_EACH" "$6"
    before=$(cpu_us "${PID[$3]}")
    TIMEFORMAT='%U %S'
    used=$({ time timeout $((SECONDS_EACH + 60)) "${CLIENT_RUN[@]}" "${BENCH_ARGUMENTS[@]}" >"$said" 2>"$said.err"; } 2>&1) ||
        {
            failed "$2 bench $6 on $3 ($4, $5)" "$(tail -qn 3 "$said.err" "$said")"
            return 0
        }
    after=$(cpu_us "${PID[$3]}")
    ops=$(awk -F: '/^Total (writes|reads) made/ { print $2 + 0 }' "$said")
    [ "${ops:-0}" -gt 0 ] || {
        failed "$2 bench $6 on $3 ($4, $5)" "it did nothing"
        return 0
    }
    awk -v used="$used" -v server=$((${after%.*} - ${before%.*})) -v ops="$ops" -v OFS='\t' \
        -v head="$1:$2:$3:$4:$5:$6" -v iops="$(figure 'Average IOPS' "$said")" \
        -v mean="$(figure 'Average Latency(s)' "$said")" \
        -v p99="$(figure 'p99 latency(s)' "$said")" 'BEGIN {
            split(used, u, " "); gsub(":", "\t", head)
            print head, iops, mean * 1000, p99 == "-" ? p99 : p99 * 1000,
                (u[1] + u[2]) * 1000000 / ops, server / ops }'
}

# The objects of this row go, whoever wrote them, so that no server holds more than another.
clean_up() { # SERVER MODE HANDLER
    signet_login "$1" "$2" "$3"
    timeout 120 "$BIN/signet" bench cleanup "${SIGNET_LOGIN[@]}" >"$WORK/said" 2>&1 ||
        failed "cleaning up on $1 ($2)" "$(tail -n 3 "$WORK/said")"
}

# --- rows -----------------------------------------------------------------------------------------

rows() { # CLIENT SERVER MODE HANDLER, one a line
    local mode handler
    for mode in "${MODES[@]}"; do
        if [ "$mode" = none ]; then
            ! have_ceph || printf '%s\n' "rados ceph-none none -" "signet ceph-none none -" \
                "rados signetd-none none -"
            echo "signet signetd-none none -"
            continue
        fi
        ! have_ceph || echo "rados ceph $mode -"
        for handler in nss openssl; do
            ! have_ceph || echo "rados signetd-$handler $mode -"
            ! have_ceph || echo "signet ceph $mode $handler"
            echo "signet signetd-$handler $mode $handler"
        done
    done | grep -E -- "$ONLY"
}

run_rows() {
    local round client server mode handler phase
    for ((round = 1; round <= ROUNDS; round++)); do
        echo "round $round of $ROUNDS" >&2
        while read -r client server mode handler <&3; do
            for phase in write seq rand; do
                measure "$round" "$client" "$server" "$mode" "$handler" "$phase"
            done
            clean_up "$server" "$mode" "$handler"
        done 3< <(rows)
    done
}

# Medians, then the ratios that matter.
summarise() {
    awk -F '\t' -f "$here/median.awk" -f "$here/rados.awk" "$WORK/figures"
}

have_ceph || echo "Ceph is not installed (./dev interop 16 fetches it): without its rows" >&2
start_servers
echo "rados bench, $SIZE bytes, queue depth $DEPTH, $ROUNDS rounds of $SECONDS_EACH s, medians"
echo "cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), cores: $(nproc), load: $(cut -d ' ' -f 1 /proc/loadavg)"
! have_ceph || ceph-osd --version | cut -d ' ' -f 1-3
"$BIN/signetd" --version
run_rows >"$WORK/figures"
[ -z "$TSV" ] || cp "$WORK/figures" "$TSV"
summarise
[ ${#FAILED[@]} = 0 ] || {
    printf '\nfailed: %d runs: %s\n' ${#FAILED[@]} "$(printf '%s\n' "${FAILED[@]}" | sort -u | paste -sd ';')"
    exit 1
}
