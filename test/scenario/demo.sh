#!/bin/bash
# demo.sh SIGNET SIGNETD: a tour of both programs on a machine without Ceph: a daemon on an empty
# directory, logins in both modes with both handlers, a switch of the handler under traffic, metrics;
# then a session that a real Ceph client had with a real monitor, opened.
set -eu
signet=$(readlink -f "${1:?usage: demo.sh SIGNET SIGNETD}")
signetd=$(readlink -f "${2:?usage: demo.sh SIGNET SIGNETD}")
recorded=$(dirname "$(readlink -f "$0")")/../kat/captures/ceph20/b-aes256k-mon-secure
work=$(mktemp -d)
daemon=
end() {
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
cp "$recorded"/conn00.* "$recorded/keys.json" "$work"
cd "$work"

title() {
    printf '\n\033[1m# %s\033[0m\n' "$*"
}

show() { # WORD...: the command as it would be typed
    local word line='$'
    for word in "$@"; do
        case $word in
        *' '*) line+=" '$word'" ;;
        *) line+=" $word" ;;
        esac
    done
    printf '%s\n' "$line"
}

run() { # PROGRAM ARGUMENT...
    show "$@"
    case $1 in
    signet) "$signet" "${@:2}" ;;
    signetd) "$signetd" "${@:2}" ;;
    esac
}

field() { # NAME: of signetd ctl status
    "$signetd" ctl --state cluster status 2>/dev/null | sed -n "s/^$1  *//p"
}

await() { # TEXT: until it is in the daemon's log
    local i
    for ((i = 0; i < 600; i++)); do
        ! grep -q "$1" log || return 0
        kill -0 "$daemon" || break
        sleep 0.05
    done
    cat log
    return 1
}

title "A monitor and an OSD on an empty directory (port 0: any free one)"
show signetd --state cluster --mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics 0 \
    --ms-mode prefer-secure
"$signetd" --state cluster --mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics 0 \
    --ms-mode prefer-secure 2>log &
daemon=$!
await event=start
cat log
mon=$(field mon) osd=$(field osd) metrics=$(field metrics)
mon=${mon%/*}

title "A login at both, step by step: secure mode, NSS"
run signet ping -m "$mon" -n client.admin -k cluster/keyring --osd "$osd" -c 3

title "The same in crc mode and with OpenSSL, in short"
for pair in 'secure openssl' 'crc nss' 'crc openssl'; do
    read -r mode handler <<<"$pair"
    run signet ping -m "$mon" -k cluster/keyring --osd "$osd" -c 3 --ms-mode "$mode" \
        --handler "$handler" >short
    head -n 1 short
    grep -E '^(mon|osd)|logged in|keepalive' short
done

title "The daemon's handler, switched twenty times while a session is busy"
"$signet" ping -m "$mon" -k cluster/keyring -c 1500 -i 0.001 >busy 2>&1 &
busy=$!
for ((i = 0; i < 10; i++)); do
    "$signetd" ctl --state cluster handler openssl >/dev/null
    sleep 0.05
    "$signetd" ctl --state cluster handler nss >/dev/null
    sleep 0.05
done
wait "$busy" || { cat busy; exit 1; }
show signetd ctl --state cluster handler openssl
show signetd ctl --state cluster handler nss
echo "[...]"
grep keepalive busy

title "A wrong key: what the client is told, and what the daemon knows"
"$signet" authtool -C wrong --gen-key --key-type aes256k -n client.admin >/dev/null
show signet ping -m "$mon" -k wrong
! "$signet" ping -m "$mon" -k wrong >refused 2>&1 || { echo "it was let in" >&2; exit 1; }
grep -E '^signet|likely|next' refused
await event=handshake_failed
grep event=handshake_failed log

title "Some of its metrics"
show curl "http://$metrics/metrics"
exec 3<>"/dev/tcp/${metrics%:*}/${metrics##*:}"
printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
grep -E '^signet_(handler|handshakes|sealed|logins|tickets|authorizers|refused)' <&3
exec 3<&-

title "The end"
show signetd ctl --state cluster stop
"$signetd" ctl --state cluster stop
wait "$daemon"
daemon=
tail -n 1 log

title "A recorded login of a client at a monitor of Ceph 20, opened with its key"
show signet decode --keys keys.json conn00.c2s conn00.s2c
"$signet" decode --keys keys.json conn00.c2s conn00.s2c >decoded
sed -n '/AUTH_DONE/,/AUTH_SIGNATURE/p' decoded | head -n 12
echo "  [... $(wc -l <decoded) lines in all]"
sed -n '/^1 connection/,$ p' decoded

title "The same with one bit changed on the way"
at=700
byte=$(od -An -tu1 -j $at -N 1 conn00.s2c)
{
    head -c $at conn00.s2c
    printf '%b' "\\0$(printf %o $((byte ^ 1)))"
    tail -c +$((at + 2)) conn00.s2c
} >bent.s2c
if "$signet" decode --keys keys.json conn00.c2s bent.s2c >decoded 2>&1; then
    echo "the change was not noticed" >&2
    exit 1
fi
grep -iE 'fail|wrong|error' decoded | head -n 6
printf '\nWith a cluster at hand: signet ping -m v2:HOST:3300 -n client.admin -k /etc/ceph/ceph.client.admin.keyring\n'
