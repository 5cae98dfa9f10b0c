#!/bin/bash
# signetd_signals.sh SIGNET SIGNETD MON_CLIENT: reload, stop, and what the service manager hears.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"

# A session that stays: pings until it is told to end.
hold() {
    "$signet" ping -m "${mon%/*}" -n client.admin -k "$keyring" -c 100000 -i 0.05 \
        >"$work/held" 2>&1 &
    holder=$!
    await has_session || fail "no session to hold"
}

has_session() {
    grep -q session "$work/held"
}

# SIGHUP: what may change does, what may not is named, what is wrong leaves all as it was.
cat >"$work/conf" <<END
# of the test
handler = nss
store-bytes = 1G
log-level = info
END
start --config "$work/conf"
hold
sed -i 's/nss/openssl/; s/info/debug/; s/store-bytes = 1G/store-bytes = 5M/' "$work/conf"
echo "threads = 7" >>"$work/conf"
kill -HUP "$pid"
await logged "read configuration and state again" || fail "no reload"
[ "$(status handler)" = openssl ] || fail "the reload left the handler"
logged "in force now: store-bytes 5242880, journal-keep 67108864, drain 5" || fail "no word of what is in force"
[ "$(metric signet_object_memory_max_bytes)" = 5242880 ] || fail "the reload left store-bytes"
[ "$(status log-level)" = debug ] || fail "the reload left the level of the log"
logged "after a restart only: threads" || fail "no word of what a reload cannot do"
echo "threads = none" >>"$work/conf"
kill -HUP "$pid"
await logged "$work/conf:6: threads was given in line 5 already" || fail "a wrong file went unnoticed"
[ "$(status handler)" = openssl ] || fail "a wrong file changed something"
sed -i '$ d' "$work/conf"
# A handler that was switched by hand stays when the file says nothing new.
ctl handler nss >/dev/null
ctl reload >"$work/out" || fail "ctl reload"
grep -qx "restart needed for: threads" "$work/out" || fail "ctl reload says: $(cat "$work/out")"
[ "$(status handler)" = nss ] || fail "a reload switched the handler back"
# Somebody edits the state file.
keys=$work/state/keys
cp "$keys" "$work/keys"
sed 's/^crc .*/crc -/' "$work/keys" >"$keys"
printf '[client.hand]\n\tkey = %s\n' "$("$signet" authtool --gen-print-key --key-type aes256k)" >>"$keys"
ctl reload >/dev/null || fail "reload of an edited state"
[ "$(status entities)" = 2 ] || fail "the edited state was not read"
echo "nonsense = " >"$keys"
! ctl reload >"$work/out" 2>"$work/err" || fail "a damaged state went unnoticed"
grep -q "see the log" "$work/err" || fail "ctl reload does not say where to look"
[ "$(status entities)" = 2 ] || fail "a damaged state was taken"
ping >"$work/out" || fail "no login with the state of before"
cp "$work/keys" "$keys"
kill -0 "$holder" || fail "the session was harmed: $(cat "$work/held")"

# SIGTERM: the session ends, the daemon too, with 0.
stop TERM 0
code=0
wait "$holder" || code=$?
[ "$code" = 1 ] || fail "the session did not end with its daemon"
logged "event=end" || fail "no last line"
[ ! -e "$work/state/ctl" ] || fail "the control socket stayed"

# SIGINT does the same.
start
stop INT 0

# A client that asks for much and reads nothing: --drain is the longest wait for it; a second signal
# ends that at once.
# Much was sent, and no more is: the sockets are full.
stands_still() {
    local before
    before=$(metric 'signet_network_bytes_total{direction="out"}')
    sleep 0.3
    [ "$before" -gt 1000000 ] &&
        [ "$before" = "$(metric 'signet_network_bytes_total{direction="out"}')" ]
}

stall() {
    for ((i = 0; i < 6000; i++)); do
        echo '{"prefix": "get_command_descriptions"}'
    done | "$client" "${mon%/*}" "$keyring" client.admin crc stall >"$work/stalled" 2>&1 &
    staller=$!
    await stands_still || fail "no client that stalls"
}

start --ms-mode crc --drain 1
stall
from=$SECONDS
stop TERM 0
[ $((SECONDS - from)) -le 30 ] || fail "a drain of one second took $((SECONDS - from))"
logged "some connections were cut" || fail "no word of what was cut"
kill "$staller"

start --ms-mode crc --drain 600
stall
kill -TERM "$pid"
await logged "signal 15" || fail "no stop"
sleep 0.3
kill -0 "$pid" || fail "it did not wait for the client"
from=$SECONDS
stop TERM 1
[ $((SECONDS - from)) -le 20 ] || fail "the second signal was not heeded"
kill "$staller"

# What the service manager hears.
python=$(command -v python3 || true)
if [ -n "$python" ]; then
    cat >"$work/listen.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
open(sys.argv[1] + ".bound", "w")
while True:
    said = s.recv(4096).decode().split("\n")[0]
    print(said, flush=True)
    if said == "STOPPING=1":
        break
END
    "$python" "$work/listen.py" "$work/notify" >"$work/said" &
    listener=$!
    await test -e "$work/notify.bound" || fail "no listener"
    NOTIFY_SOCKET=$work/notify start
    kill -HUP "$pid"
    await logged "read configuration and state again" || fail "no reload"
    stop
    wait "$listener"
    [ "$(tr '\n' ' ' <"$work/said")" = "READY=1 RELOADING=1 READY=1 STOPPING=1 " ] ||
        fail "the service manager heard: $(cat "$work/said")"
fi
echo "signals: ok"
