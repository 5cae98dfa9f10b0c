#!/bin/bash
# signetd_stderr.sh SIGNET SIGNETD MON_CLIENT: whoever reads stderr stops: the daemon goes on, and says later how
# many lines were lost. No line is torn.
# shellcheck disable=SC2154 # daemon.sh sets variables
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"

mkfifo "$work/pipe"
exec 7<>"$work/pipe" # a reader that does not read
"$signetd" --state "$work/state" --mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics 0 --log-level debug 2>"$work/pipe" &
pid=$!
serves() { [ -n "$(status mon 2>/dev/null)" ]; }
await serves || fail "the daemon does not start"
mon=$(status mon) metrics=$(status metrics)
keyring=$work/state/keyring

lost=0
for ((i = 0; i < 400 && lost == 0; i++)); do
    timeout 10 "$signet" ping -m "${mon%/*}" -n client.admin -k "$keyring" -c 1 >"$work/out" 2>&1 ||
        fail "with nobody reading the log, ping $i fails: $(cat "$work/out")"
    ((i % 10 != 9)) || lost=$(metric signet_log_lines_lost_total)
done
[ "$lost" -gt 0 ] || fail "$i pings, and no line is lost"

cat <&7 >"$log" &
reader=$!
await logged event=lost || fail "no word of lost lines"
ping >"$work/out" || fail "no ping after the stall"
stop
await logged event=end || fail "the last line is missing"
kill "$reader"
wait "$reader" 2>/dev/null || true
! grep -vE '^ts=[0-9-]+T[0-9:.]+Z level=[a-z]+ event=' "$log" || fail "a line is torn"
told=$(sed -n 's/.*event=lost lines=\([0-9]*\).*/\1/p' "$log" | awk '{ n += $1 } END { print n }')
[ "$told" -ge "$lost" ] || fail "$lost lines were lost, $told are told of"
echo "nobody read for $i logins: they went on, and $told lines were lost and told of"

# An end does not wait for ever for who does not read.
"$signetd" --state "$work/state" --mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics 0 --log-level debug 2>"$work/pipe" &
pid=$!
await serves || fail "the daemon does not start again"
mon=$(status mon)
for ((i = 0; i < 60; i++)); do
    ping >"$work/out" || fail "ping $i fails: $(cat "$work/out")"
done
stop
