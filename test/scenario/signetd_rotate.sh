#!/bin/bash
# signetd_rotate.sh SIGNET SIGNETD MON_CLIENT: tickets of two seconds: secrets rotate by themselves,
# logins work all the time, and a restart goes on where it was.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"

newest() { # the id of the newest secret for the OSD
    awk '$1 == "secret" && $2 == "osd" { id = $3 } END { print id }' "$work/state/keys"
}

rotated() { # ID: there is a newer one
    [ "$(newest)" -gt "$1" ]
}

start --auth-ttl 4 --service-ttl 2
first=$(newest)
for i in 1 2; do
    now=$(newest)
    await rotated "$now" || fail "no rotation"
    ping --osd "$osd" >"$work/out" || fail "no login after rotation $i: $(cat "$work/out")"
done
grep -q 'ticket      osd: aes256k session key, valid for 2 s' "$work/out" || fail "--service-ttl"
grep -q 'ticket      auth: aes256k session key, valid for 4 s' "$work/out" || fail "--auth-ttl"
await logged event=rotation || fail "no word of a rotation"
[ "$(metric signet_rotations_total)" -ge 2 ] || fail "signet_rotations_total"
age=$(metric signet_rotation_age_seconds)
[ "${age%.*}" -lt 20 ] || fail "signet_rotation_age_seconds $age"
before=$(newest)
stop
start --auth-ttl 4 --service-ttl 2
[ "$(newest)" -ge "$before" ] || fail "a restart lost secrets: $(newest) after $before"
[ "$(newest)" -le $((before + 6)) ] || fail "a restart made secrets without need"
ping --osd "$osd" >"$work/out" || fail "no login after the restart"
now=$(newest)
await rotated "$now" || fail "no rotation after the restart"
stop
echo "rotation from secret $first to $(newest): ok"
