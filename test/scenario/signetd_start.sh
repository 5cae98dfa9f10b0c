#!/bin/bash
# signetd_start.sh SIGNET SIGNETD MON_CLIENT: first start, later ones, and what the keyring is for.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"

mode() {
    stat -c %a "$1"
}

# The first start makes all that is needed, and says so.
start
fsid=$(status fsid)
[ "$(mode "$work/state")" = 700 ] || fail "mode of the directory"
for file in keys cluster keyring lock ctl; do
    [ "$(mode "$work/state/$file")" = 600 ] || fail "mode of $file"
done
logged "entity=client.admin path=$work/state/keyring" || fail "no word of the keyring"
[[ $fsid =~ ^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$ ]] || fail "fsid $fsid"
ping --osd "$osd" >"$work/out" || fail "no login after the first start"
[ "$(run_commands <<<'{"prefix": "fsid"}')" = "0 
$fsid" ] || fail "the monitor names another fsid"
run_commands >"$work/out" <<'END' || fail "commands"
{"prefix": "auth get-or-create", "entity": "client.x", "caps": ["mon", "allow r"]}
{"prefix": "auth ls"}
END
grep -q '^client.admin$' "$work/out" || fail "auth ls lacks client.admin"
"$client" "${mon%/*}" "$keyring" client.admin secure "$osd" >"$work/out" <<<'{"prefix": "version"}' ||
    fail "a command at the OSD: $(cat "$work/out")"
grep -q '"signet ' "$work/out" || fail "the OSD says $(cat "$work/out")"
nonce=${osd##*/}
stop

# The second one uses what is there.
cp "$work/state/keyring" "$work/before"
start
[ "$(status fsid)" = "$fsid" ] || fail "another fsid after a restart"
[ "${osd##*/}" = "$nonce" ] || fail "another nonce after a restart"
[ "$(status entities)" = 2 ] || fail "entities after a restart: $(status entities)"
cmp -s "$work/before" "$work/state/keyring" || fail "the keyring was changed"
ping >"$work/out" || fail "no login after a restart"
# An entity that is deleted does not come back from the keyring, but a warning comes.
run_commands >"$work/out" <<'END' || fail "auth del"
{"prefix": "auth del", "entity": "client.admin"}
END
stop
start
[ "$(status entities)" = 1 ] || fail "a deleted entity came back"
logged 'entity=client.admin' || fail "no warning of a keyring that is out of date"
stop

# A keyring that is there at the first start is taken as it is.
rm -rf "$work/state"
"$signet" authtool -C "$work/mine" --gen-key --key-type aes256k -n client.mine --cap mon 'allow *' >/dev/null
cp "$work/mine" "$work/before"
start --keyring "$work/mine" --fsid 2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e --pool one=1 --pool two=5
[ "$(status fsid)" = 2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e ] || fail "--fsid"
cmp -s "$work/before" "$work/mine" || fail "the keyring was changed"
[ ! -e "$work/state/keyring" ] || fail "a keyring that nobody asked for"
"$signet" ping -m "${mon%/*}" -n client.mine -k "$work/mine" -c 0 >"$work/out" || fail "client.mine"
stop
# Its pools stay, with their names, when a later start names none; else the map has those named.
pools() {
    "$client" "${mon%/*}" "$work/mine" client.mine secure <<<'{"prefix": "osd lspools"}'
}
start
pools >"$work/out" || fail "osd lspools"
[[ $(<"$work/out") == *'1 one'*'5 two'* ]] || fail "pools: $(cat "$work/out")"
ctl reload >"$work/out" || fail "reload"
! grep -q pool "$work/out" || fail "$(cat "$work/out")"
stop
start --pool three=1
pools >"$work/out" || fail "osd lspools"
[[ $(<"$work/out") == *'1 three'* ]] || fail "pools: $(cat "$work/out")"
! grep -q two "$work/out" || fail "a pool that was not named: $(cat "$work/out")"
stop
# A type of keys that is allowed no more: said at the start, and refused.
rm -rf "$work/state"
start --allowed-ciphers aes
ping >"$work/out" || fail "no login with a key of type aes"
stop
start --allowed-ciphers aes256k
logged "event=ciphers entity=client.admin entities=1" || fail "no word of a type that is not allowed"
! ping >"$work/out" 2>&1 || fail "a type that is not allowed logs in"
await logged "claims=client.admin cause=CIPHER" || fail "the cause is not told"
stop

# IPv6, where the machine has it; metrics there too.
if grep -q '^0\{31\}1 ' /proc/net/if_inet6 2>/dev/null; then
    rm -rf "$work/state"
    start --mon 'v2:[::1]:0' --osd 'v2:[::1]:0' --metrics '[::1]:0'
    [[ $mon == 'v2:[::1]:'* && $metrics == '[::1]:'* ]] || fail "addresses $mon, $metrics"
    ping --osd "$osd" >"$work/out" || fail "no login over IPv6: $(cat "$work/out")"
    [ "$(metric signet_logins_total)" = 1 ] || fail "no metrics over IPv6"
    stop
fi
echo "first and later starts: ok"
