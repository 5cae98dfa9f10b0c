#!/bin/bash
# signetd_none.sh SIGNET SIGNETD MON_CLIENT: authentication none where both sides ask for it, and
# what either says when the other does not.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"

open=(-m '' --auth none --ms-mode crc)

start --auth none --ms-mode crc --pool bench=1
open[1]=${mon%/*}
logged 'level=warn event=auth' || fail "no warning"
logged 'whoever reaches the ports may read, change and delete everything' || fail "no warning"
[ "$(status auth)" = none ] || fail "status shows auth $(status auth)"
"$signet" ping "${open[@]}" -n client.anybody --osd "$osd" >"$work/out" || fail "$(cat "$work/out")"
[ "$(grep -c 'method none, mode crc, global_id' "$work/out")" = 2 ] || fail "$(cat "$work/out")"
grep -q 'client.anybody without authentication' "$work/out" || fail "$(cat "$work/out")"
! grep -q 'ticket' "$work/out" || fail "a ticket: $(cat "$work/out")"
logged 'entity=client.anybody' || fail "the log does not name it"
logged 'mode=crc auth=none' || fail "the log does not say that nothing was proved"
"$signet" ping "${open[@]}" --format json >"$work/out" || fail "$(cat "$work/out")"
grep -q '"auth": "none"' "$work/out" || fail "$(cat "$work/out")"
"$signet" bench 30 write "${open[@]}" -p bench -b 4096 --max-objects 200 --no-cleanup >"$work/out" ||
    fail "$(cat "$work/out")"
grep -q '^Total writes made: *200$' "$work/out" || fail "$(cat "$work/out")"
"$signet" bench 30 seq "${open[@]}" -p bench >"$work/out" || fail "$(cat "$work/out")"
[ "$(metric 'signet_handshakes_total{service="osd",outcome="ok",cause=""}')" = 3 ] ||
    fail "the figures count otherwise"

# cephx to a server without
! ping --ms-mode crc >"$work/out" 2>&1 || fail "cephx at a server without"
grep -q 'does not allow cephx' "$work/out" || fail "$(cat "$work/out")"
grep -q 'add --auth none --ms-mode crc' "$work/out" || fail "no next step: $(cat "$work/out")"
await logged 'cause=AUTH_METHOD' || fail "the log lacks the cause"
logged 'authentication method none alone is allowed here' || fail "the log lacks the text"
logged 'give both sides the same method' || fail "the log lacks the next step"
stop

# none to a server with cephx: the same state, which is not open any more
start --ms-mode prefer-secure --pool bench=1
open[1]=${mon%/*}
[ "$(status auth)" = cephx ] || fail "status shows auth $(status auth)"
! logged event=auth || fail "a warning without cause"
! "$signet" ping "${open[@]}" >"$work/out" 2>&1 || fail "none at a server with cephx"
grep -q 'does not allow authentication none' "$work/out" || fail "$(cat "$work/out")"
grep -q 'leave --auth none out' "$work/out" || fail "no next step: $(cat "$work/out")"
await logged 'cause=AUTH_METHOD' || fail "the log lacks the cause"
logged 'authentication method cephx alone is allowed here' || fail "the log lacks the text"
! "$signet" bench 1 write "${open[@]}" -p bench >"$work/out" 2>&1 || fail "bench logs in"
grep -q 'does not allow authentication none' "$work/out" || fail "$(cat "$work/out")"
ping --ms-mode crc >"$work/out" || fail "cephx: $(cat "$work/out")"

# a reload does not open it
printf 'auth = none\nms-mode = crc\n' >"$work/conf"
stop
start --config "$work/conf"
[ "$(status auth)" = none ] || fail "the file does not count"
sed -i 's/none/cephx/' "$work/conf"
ctl reload >"$work/out"
grep -q 'restart needed for:.* auth' "$work/out" || fail "$(cat "$work/out")"
[ "$(status auth)" = none ] || fail "a reload has changed it"
stop
echo "authentication none: ok"
