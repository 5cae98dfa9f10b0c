#!/bin/bash
# signetd_deaf.sh SIGNET SIGNETD MON_CLIENT OBJECT_CLIENT: two hundred clients ask for 16 MiB each and
# read nothing: the daemon's memory stays bounded, those that hold most of it are closed, counted and
# told of in the log, and others are served.
set -eu
# shellcheck disable=SC2119 # functions may go without arguments
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
objects=$4 num=200 mib=$((1 << 20))
# Under tsan a turn of them all takes longer than a login may.
! grep -q __tsan_init "$2" || num=50

resident() { # MiB
    awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$pid/status"
}

start --threads 2 --max-output 64M
before=$(resident)
mkfifo "$work/end"
"$objects" "${mon%/*}" "$keyring" "${osd%/*}/${osd##*/}" 1 deaf "$num" <"$work/end" >"$work/said" &
deaf=$!
exec 4>"$work/end"
most=0 held=0
while ! grep -q asked "$work/said"; do
    kill -0 "$deaf" 2>/dev/null || fail "the clients ended: $(cat "$work/said")"
    now=$(resident) output=$(metric signet_output_buffer_bytes)
    most=$((now > most ? now : most)) held=$((output > held ? output : held))
    sleep 0.1
done
ping --timeout 60 >"$work/out" 2>&1 || fail "no login beside deaf clients: $(cat "$work/out" 2>&1)"
closed=$(metric 'signet_connections_closed_total{cause="OUTPUT_LIMIT"}')
[ "${closed:-0}" -gt $((num / 4)) ] || fail "closed: $closed"
# Each of two workers may have its share and, for a moment, one more answer.
[ "$held" -le $((70 * mib)) ] || fail "$held bytes of output were held"
[ "$most" -le $((before + 160)) ] || fail "$most MiB, before it were $before"
line=$(grep -m 1 'cause=OUTPUT_LIMIT' "$log")
for part in level=warn event=session_end peer= entity=client.admin global_id= 'bytes of output' next=; do
    [[ $line == *$part* ]] || fail "no $part in $line"
done
exec 4>&-
wait "$deaf"
nothing_held() {
    [ "$(metric signet_output_buffer_bytes)" = 0 ]
}
await nothing_held || fail "held for nobody: $(metric signet_output_buffer_bytes)"
stop
echo "$num deaf clients: $closed closed, at most $((held / mib)) MiB of output and $((most - before)) MiB more memory"
