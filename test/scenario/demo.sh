#!/bin/bash
# demo.sh SIGNET: shows the command on a machine without Ceph: what does the cryptography, a keyring,
# and a session that a real Ceph client had with a real monitor, opened.
set -eu
signet=$(readlink -f "${1:?usage: demo.sh SIGNET}")
cd "$(dirname "$(readlink -f "$0")")/../kat/captures/ceph20/b-aes256k-mon-secure"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

title() {
    printf '\n\033[1m# %s\033[0m\n' "$*"
}

run() { # ARGUMENT...: shows the command and runs it
    local shown=${*//$work\//}
    printf '$ signet %s\n' "$shown"
    "$signet" "$@"
}

title "The libraries that do the cryptography, and whether they pass their tests here"
run handlers

title "A keyring with a new key, as ceph-authtool would make it"
run authtool -C "$work/demo.keyring" --gen-key --key-type aes256k -n client.demo \
    --cap mon 'allow r' --cap osd 'allow rw pool=demo'
run authtool -l "$work/demo.keyring"

title "A recorded login of a client at a monitor of Ceph 20, in secure mode, opened with its key"
printf '$ signet decode --keys keys.json conn00.c2s conn00.s2c\n'
"$signet" decode --keys keys.json conn00.c2s conn00.s2c >"$work/decoded"
sed -n '/AUTH_REQUEST,/,/AUTH_SIGNATURE/p' "$work/decoded"
echo "  [... $(wc -l <"$work/decoded") lines in all]"
sed -n '/^1 connection/,$ p' "$work/decoded"

title "The same with one bit changed on the way"
at=700
byte=$(od -An -tu1 -j $at -N 1 conn00.s2c)
{
    head -c $at conn00.s2c
    printf '%b' "\\0$(printf %o $((byte ^ 1)))"
    tail -c +$((at + 2)) conn00.s2c
} >"$work/bent.s2c"
printf '$ signet decode --keys keys.json conn00.c2s bent.s2c\n'
if "$signet" decode --keys keys.json conn00.c2s "$work/bent.s2c" >"$work/decoded" 2>&1; then
    echo "the change was not noticed" >&2
    exit 1
fi
grep -iE 'fail|wrong|error' "$work/decoded" | head -n 6
printf '\nWith a cluster at hand: signet ping -m v2:HOST:3300 -n client.admin -k /etc/ceph/ceph.client.admin.keyring\n'
