#!/bin/bash
# profile.sh PROGRAMS [HANDLER...]: what share of signetd's time an operation of 4 KiB spends where,
# while 'signet bench' loads it (secure, one connection, 16 at a time). Prints a Markdown table.
# By perf, or else by callgrind, which counts instructions outside the system: neither calls of it nor
# waiting for memory. TOOL=perf|callgrind chooses. Exit code 2 where neither is there or may look.
set -euo pipefail
programs=$1
shift
[ $# -gt 0 ] || set -- nss openssl
tool=${TOOL:-}
[ -n "$tool" ] || ! command -v perf >/dev/null || tool=perf
[ -n "$tool" ] || ! command -v valgrind >/dev/null || tool=callgrind
[ -n "$tool" ] || {
    echo "profile: neither perf nor valgrind is here" >&2
    exit 2
}
under=()
dir=$(mktemp -d)
pid=
finish() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    wait
    rm -rf "$dir"
}
trap finish EXIT

# start HANDLER: a fresh signetd; its number in $pid, its monitor in $mon.
start() {
    rm -rf "$dir/state"
    [ "$tool" = perf ] || under=(valgrind -q --tool=callgrind --instr-atstart=no --callgrind-out-file="$dir/counted")
    "${under[@]}" "$programs/signetd" --state "$dir/state" --mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics none \
        --pool bench=1 --store-bytes 8G --log-level error --handler "$1" &
    pid=$!
    for _ in $(seq 100); do
        mon=$("$programs/signetd" ctl --state "$dir/state" status 2>/dev/null | awk '$1 == "mon" { print $2 }') || true
        [ -z "$mon" ] || return 0
        sleep 0.1
    done
    echo "profile: signetd does not start" >&2
    exit 1
}

load() {
    "$programs/signet" bench "$1" "$2" -p bench -b 4096 -m "$mon" -k "$dir/state/keyring" --handler "$3" \
        --no-cleanup >"$dir/out"
}

stop() {
    kill "$pid"
    wait "$pid" || true
    pid=
}

# sample_by_TOOL KIND HANDLER: where it is, one line "PART share" each; ends the daemon.
sample_by_callgrind() {
    local loading
    load 6 "$1" "$2" &
    loading=$!
    sleep 1
    callgrind_control -i on "$pid" >/dev/null 2>&1
    sleep 4
    callgrind_control -i off "$pid" >/dev/null 2>&1
    wait "$loading"
    stop
    callgrind_annotate --auto=no --threshold=100 "$dir/counted" | instructions
}

instructions() {
    awk '
    function part() {
        if ($0 ~ /crc32/) return "crc"
        if ($0 ~ /libcrypto|freebl|softokn|nspr|nssutil|libIPSec|\/crypto\//) return "gcm"
        if ($0 ~ /mem(move|cpy|set)/) return "copy"
        if ($0 ~ /:(store_|arena_|lite_hash)/) return "store"
        if ($0 ~ /\/lite\//) return "osd"
        return "messenger"
    }
    $2 ~ /^\([0-9. ]+%\)$/ || $2 == "(" {
        if (/PROGRAM TOTALS/) next
        gsub(",", "", $1)
        n[part()] += $1
        all += $1
    }
    END { for (p in n) printf "%s %.1f\n", p, 100 * n[p] / all }'
}

sample_by_perf() {
    load 4 "$1" "$2" &
    local loading=$!
    sleep 0.5
    perf record -q -e cpu-clock -F 1500 --call-graph dwarf,8192 -p "$pid" -o "$dir/perf" -- sleep 2 2>"$dir/perf.log" || {
        cat "$dir/perf.log" >&2
        exit 2
    }
    wait "$loading"
    stop
    perf script -i "$dir/perf" -F ip,sym,dso 2>/dev/null | parts
}

# A sample is a stack, innermost first, then an empty line. The first rule that fits counts.
parts() {
    awk '
    function part() {
        if (stack ~ / (__x64_sys_|__sys_|__libc_)?sendmsg/) return "send"
        if (stack ~ / (__x64_sys_|__sys_|__libc_)?recv/) return "receive"
        if (stack ~ /epoll_wait/) return "wait"
        if (stack ~ /madvise|page_fault/) return "memory"
        if (stack ~ /entry_SYSCALL|asm_/) return "system"
        if (stack ~ /signet_stream_seal|gcm_seal/) return "seal"
        if (stack ~ /signet_stream_open|gcm_open/) return "open"
        if (stack ~ /crc32/) return "crc"
        if (where ~ /freebl|softokn|nspr|libpl|nssutil|libcrypto/) return "gcm"
        if (leaf ~ /mem(move|cpy|set)/) return "copy"
        if (stack ~ / (store_|arena_)/) return "store"
        if (stack ~ / (osd_|signet_osd_|operation)/) return "osd"
        return "messenger"
    }
    NF == 0 { if (stack != "") { n[part()]++; all++ } stack = ""; next }
    { if (stack == "") { leaf = $2; where = $NF } stack = stack " " $2 }
    END { for (p in n) printf "%s %.1f\n", p, 100 * n[p] / all }'
}

names="send:sending (system call)
receive:receiving (system call)
wait:waiting (epoll)
memory:memory from the system
system:system, other
seal:sealing (GCM)
open:opening (GCM)
gcm:sealing or opening, inside the library
crc:checksums
copy:copies of the process
store:objects
osd:requests and answers
messenger:messenger, all else"

columns=() head='| part of the time, %' line='|---'
[ "$tool" = perf ] || head='| part of the instructions, %, without those of the system'
for handler in "$@"; do
    for kind in write rand; do
        start "$handler"
        [ "$kind" = write ] || load 2 write "$handler" # for rand to read
        columns+=("$handler.$kind")
        "sample_by_$tool" "$kind" "$handler" >"$dir/$handler.$kind"
        head+=" | $kind, $handler" line+='|---'
    done
done
echo "$head |"
echo "$line|"
while IFS=: read -r part text; do
    cells=
    for column in "${columns[@]}"; do
        cells+=" | $(awk -v p="$part" '$1 == p { print $2 }' "$dir/$column")"
    done
    [[ $cells != *[0-9]* ]] || echo "| $text$cells |"
done <<<"$names"
