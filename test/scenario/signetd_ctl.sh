#!/bin/bash
# signetd_ctl.sh SIGNET SIGNETD MON_CLIENT CONNECTIONS SWITCHES: the control socket; handlers are
# switched while that many connections are busy.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"

connections=$4 switches=$5

start --ms-mode prefer-secure
[ "$(ctl handler)" = nss ] || fail "the handler at first"
for words in nonsense 'status now' 'handler nss openssl'; do
    # shellcheck disable=SC2086 # several words are wanted
    ! ctl $words >"$work/out" 2>"$work/err" || fail "'$words' succeeded"
    grep -q "is no command; there are status" "$work/err" || fail "'$words': $(cat "$work/err")"
done
for words in '' ' ' nss$'\t' 'nss openssl'; do
    code=0
    ctl handler "$words" >"$work/out" 2>"$work/err" || code=$?
    [[ $code = 2 && ! -s $work/out ]] || fail "handler '$words': exit code $code"
    grep -q "ctl: an argument \(is empty\|has a blank\)" "$work/err" || fail "$(cat "$work/err")"
done
! ctl handler gcrypt >"$work/out" 2>"$work/err" || fail "handler gcrypt"
grep -q "the handler 'gcrypt' cannot be used" "$work/err" || fail "$(cat "$work/err")"

# In both modes, with both handlers at the other end, at the monitor and at the OSD.
pids=()
for ((i = 0; i < connections; i++)); do
    mode=secure handler=nss
    [ $((i % 2)) = 0 ] || mode=crc
    [ $((i % 4)) -lt 2 ] || handler=openssl
    ping --ms-mode "$mode" --handler "$handler" --osd "$osd" -c $((switches * 3 / 2)) -i 0.005 \
        >"$work/out.$i" 2>&1 &
    pids+=($!)
done
for ((n = 0; n < switches / 2; n++)); do
    [ "$(ctl handler openssl)" = openssl ] || fail "switch to openssl"
    [ "$(ctl handler nss)" = nss ] || fail "switch to nss"
done
for ((i = 0; i < connections; i++)); do
    wait "${pids[i]}" || fail "connection $i: $(cat "$work/out.$i")"
done
# Both have sealed, and nobody was lost.
for handler in nss openssl; do
    [ "$(metric "signet_sealed_bytes_total{handler=\"$handler\"}")" -gt 0 ] || fail "$handler sealed nothing"
done
[ "$(metric 'signet_handshakes_total{service="mon",outcome="ok",cause=""}')" = "$connections" ] ||
    fail "reconnects"
[ "$(metric 'signet_handler{handler="nss"}')" = 1 ] || fail "signet_handler"

# Rotation by hand: a login afterwards works, and counts.
before=$(metric signet_rotations_total)
ctl rotate >"$work/out" || fail "rotate"
[ "$(metric signet_rotations_total)" = $((before + 1)) ] || fail "signet_rotations_total"
ping --osd "$osd" >"$work/out" || fail "no login after a rotation"

# Only GET /metrics.
exec 3<>"/dev/tcp/${metrics%:*}/${metrics##*:}"
printf 'GET /other HTTP/1.0\r\n\r\n' >&3
read -r line <&3
[[ $line == *404* ]] || fail "GET /other: $line"
exec 3<&-

ctl stop >"$work/out" || fail "stop"
code=0
wait "$pid" || code=$?
pid=
[ "$code" = 0 ] || fail "exit code $code after ctl stop"
echo "control: ok"
