#!/bin/bash
# signetd_flood.sh SIGNET SIGNETD MON_CLIENT OBJECT_CLIENT: connections of strangers, by the hundred: each
# is counted with its cause, few are written to the log, how many were not is told, and clients are
# served. The same for clients that are cut off.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
num=400 objects=$4
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

# Lines that have it, and those that were left out as far as that was told.
lines() { # NAME=VALUE
    grep -c " $1 " "$log" || true
}

left_out() {
    sed -n 's/.* event=dropped lines=\([0-9]*\) .*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }'
}

all_told() { # NAME=VALUE
    [ $(($(lines "$1") + $(left_out))) = "$num" ]
}

# As many lines as there may be in the seconds since a moment, and no fewer are told of.
limited() { # NAME=VALUE FROM
    await all_told "$1" || fail "$(lines "$1") lines with $1 and $(left_out) left out are not $num"
    local took=$((SECONDS - $2 + 1))
    [ "$(lines "$1")" -le $((20 + 10 * (took + 1))) ] || fail "$(lines "$1") lines with $1 in $took s"
    [ "$(metric signet_log_lines_dropped_total)" = "$(left_out)" ] ||
        fail "signet_log_lines_dropped_total"
}

start
from=$SECONDS
strangers "$num"
ping >"$work/out" || fail "no login during the flood: $(cat "$work/out")"
await all_counted || fail "$(counted) of $num were counted: $(fetch | grep handshakes)"
limited event=handshake_failed "$from"
[ "$(grep -c ' event=session ' "$log")" = 1 ] || fail "a line was forged"
[ "$(metric signet_half_open)" = 0 ] || fail "strangers stayed"
grep ' event=handshake_failed ' "$log" | head -n 1
stop

# Clients that are cut off for what they send.
start --threads 16 --max-input 16M
from=$SECONDS
"$objects" "${mon%/*}" "$keyring" "${osd%/*}/${osd##*/}" 1 loud "$num" || fail "loud clients"
limited cause=INPUT_LIMIT "$from"
[ "$(metric 'signet_connections_closed_total{cause="INPUT_LIMIT"}')" = "$num" ] || fail "cut off"
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
