#!/bin/bash
# signetd_flood.sh SIGNET SIGNETD MON_CLIENT: connections of strangers, by the hundred: each is
# counted with its cause, few are written to the log, how many were not is told, and clients are served.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
num=400
trap "" PIPE # strangers are cut off while they talk

# One that speaks HTTP, and one that forges a line of the log.
strangers() { # NUMBER
    local i at=${mon#v2:}
    at=${at%/*}
    for ((i = 0; i < $1; i++)); do
        exec 5<>"/dev/tcp/${at%:*}/${at##*:}"
        printf 'GET / HTTP/1.0\r\n\r\nevent=session entity=client.admin level=info\n' >&5 || true
        exec 5<&-
    done
}

counted() {
    fetch | awk -F'[ "]' '/^signet_handshakes_total.*failed/ { n += $NF } END { print n + 0 }'
}

all_counted() {
    [ "$(counted)" = "$num" ]
}

# Lines of failed handshakes, and those that were left out as far as that was told.
lines() {
    grep -c ' event=handshake_failed ' "$log" || true
}

left_out() {
    sed -n 's/.* event=dropped lines=\([0-9]*\) .*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }'
}

all_told() {
    [ $(($(lines) + $(left_out))) = "$num" ]
}

start
from=$SECONDS
strangers "$num"
ping >"$work/out" || fail "no login during the flood: $(cat "$work/out")"
await all_counted || fail "$(counted) of $num were counted: $(fetch | grep handshakes)"
await all_told || fail "$(lines) lines and $(left_out) left out are not $num"
took=$((SECONDS - from + 1))
[ "$(lines)" -le $((20 + 10 * (took + 1))) ] || fail "$(lines) lines in $took seconds"
[ "$(metric signet_log_lines_dropped_total)" = "$(left_out)" ] || fail "signet_log_lines_dropped_total"
[ "$(grep -c ' event=session ' "$log")" = 1 ] || fail "a line was forged"
[ "$(metric signet_half_open)" = 0 ] || fail "strangers stayed"
grep ' event=handshake_failed ' "$log" | head -n 1
stop

# Strangers that say nothing: the oldest give way, in a place that others cannot fill.
start --threads 1 --max-half-open 8 --max-peers 12
silent=()
at=${mon#v2:} at=${at%/*}
for ((i = 0; i < 40; i++)); do
    exec {fd}<>"/dev/tcp/${at%:*}/${at##*:}"
    silent+=("$fd")
done
gone() {
    [ "$(metric 'signet_connections_closed_total{cause="HALF_OPEN_LIMIT"}')" = 32 ]
}
await gone || fail "half-open connections: $(fetch | grep -E '^signet_(conn|half|peers)')"
[ "$(metric signet_half_open)" = 8 ] || fail "signet_half_open"
ping >"$work/out" || fail "no login among silent ones: $(cat "$work/out")"
for fd in "${silent[@]}"; do
    exec {fd}<&-
done
stop
echo "$num strangers: ok"
