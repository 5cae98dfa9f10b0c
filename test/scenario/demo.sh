#!/bin/bash
# demo.sh SIGNET: shows the command on a machine without Ceph: what does the cryptography, a keyring,
# and a session that a real Ceph client had with a real monitor, opened.
set -eu
signet=$(readlink -f "${1:?usage: demo.sh SIGNET}")
recorded=$(dirname "$(readlink -f "$0")")/../kat/captures/ceph20/b-aes256k-mon-secure
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$recorded"/conn00.* "$recorded/keys.json" "$work"
cd "$work"

title() {
    printf '\n\033[1m# %s\033[0m\n' "$*"
}

show() { # ARGUMENT...: the command as it would be typed
    local word
    printf '$ signet'
    for word in "$@"; do
        case $word in
        *' '*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
}

run() { # ARGUMENT...
    show "$@"
    "$signet" "$@"
}

title "The libraries that do the cryptography, and whether they pass their tests here"
run handlers

title "A keyring with a new key, as ceph-authtool would make it"
run authtool -C demo.keyring --gen-key --key-type aes256k -n client.demo \
    --cap mon 'allow r' --cap osd 'allow rw pool=demo'
run authtool -l demo.keyring

title "A recorded login of a client at a monitor of Ceph 20, in secure mode, opened with its key"
show decode --keys keys.json conn00.c2s conn00.s2c
"$signet" decode --keys keys.json conn00.c2s conn00.s2c >decoded
sed -n '/AUTH_REQUEST,/,/AUTH_SIGNATURE/p' decoded
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
show decode --keys keys.json conn00.c2s bent.s2c
if "$signet" decode --keys keys.json conn00.c2s bent.s2c >decoded 2>&1; then
    echo "the change was not noticed" >&2
    exit 1
fi
grep -iE 'fail|wrong|error' decoded | head -n 6
printf '\nWith a cluster at hand: signet ping -m v2:HOST:3300 -n client.admin -k /etc/ceph/ceph.client.admin.keyring\n'
