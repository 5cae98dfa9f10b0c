#!/bin/bash
# signetd_ping.sh SIGNET SIGNETD MON_CLIENT HANDLER: a daemon on that handler, clients on both, in
# both modes, with keys of both types; at the monitor and at the OSD.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
server=$4
num=0
for cipher in aes aes256k; do
    rm -rf "$work/state"
    start --handler "$server" --ms-mode prefer-secure --allowed-ciphers "$cipher"
    [ "$(status handler)" = "$server" ] || fail "the daemon uses $(status handler)"
    for handler in nss openssl; do
        for mode in crc secure; do
            ping --osd "$osd" --handler "$handler" --ms-mode "$mode" >"$work/out" 2>&1 ||
                fail "$server, $handler, $mode, $cipher: $(cat "$work/out")"
            [ "$(grep -c "mode $mode, global_id" "$work/out")" = 2 ] || fail "another mode than $mode"
            grep -q "with $cipher key, handler $handler " "$work/out" || fail "not $cipher, $handler"
            num=$((num + 1))
        done
    done
    [ "$(metric 'signet_handshakes_total{service="osd",outcome="ok",cause=""}')" = 4 ] ||
        fail "the figures count otherwise"
    stop
done
[ "$num" = 8 ] || fail "$num runs"

# A daemon that allows one mode alone refuses the other; the log knows why.
for pair in 'secure crc' 'crc secure'; do
    read -r allowed asked <<<"$pair"
    rm -rf "$work/state"
    start --ms-mode "$allowed"
    ping --ms-mode "$allowed" >"$work/out" || fail "$allowed at $allowed"
    ! ping --ms-mode "$asked" >"$work/out" 2>&1 || fail "$asked at $allowed"
    await logged event=handshake_failed || fail "no line of the failed handshake"
    stop
done

# A wrong key: refused, with its cause in log and figures.
rm -rf "$work/state"
start
"$signet" authtool -C "$work/other" --gen-key --key-type aes256k -n client.admin >/dev/null
! "$signet" ping -m "${mon%/*}" -k "$work/other" >"$work/out" 2>&1 || fail "a wrong key logs in"
await logged "claims=client.admin cause=PROOF_WRONG" || fail "the log lacks the cause"
[ "$(metric 'signet_handshakes_total{service="mon",outcome="failed",cause="PROOF_WRONG"}')" = 1 ] ||
    fail "the figures lack the cause"
stop
echo "signet ping to signetd on $server: ok"
