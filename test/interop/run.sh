#!/bin/bash
# run.sh 16|20 SIGNET: logs SIGNET in to real Ceph daemons on loopback, and the programs of Ceph in
# to the signetd beside it. One line for each case, the
# number of passed and failed ones last; exit code 1 if any failed. Ceph 16 is the machine's own;
# Ceph 20 is kept in a tree under SIGNET_CACHE (~/.cache/signet), skipped where it can't be had.
set -eu
CEPH=${1:?usage: run.sh 16|20 SIGNET}
SIGNET=$(readlink -f "${2:?usage: run.sh 16|20 SIGNET}")
here=$(dirname "$(readlink -f "$0")")
SIGNETD=${SIGNET%/*}/signetd
PYTHON=/usr/bin/python3
WORK=$(mktemp -d)
RUN=()
# shellcheck source=cluster.sh
. "$here/cluster.sh"
# shellcheck source=cases.sh
. "$here/cases.sh"
# shellcheck source=trouble.sh
. "$here/trouble.sh"
# shellcheck source=signetd.sh
. "$here/signetd.sh"
# shellcheck source=sessions.sh
. "$here/sessions.sh"
# shellcheck source=none.sh
. "$here/none.sh"
trap 'cluster_stop_all; rm -rf "$WORK"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

start() { # NAME OPTION...
    cluster_start "$@" && return
    echo "the cluster did not start; its last words:" >&2
    tail -n 5 "$DIR"/*.out "$DIR"/*.log >&2 || true
    exit 1
}

ceph16() {
    ceph-mon --version | grep -q ' version 16\.' || echo "note: this is $(ceph-mon --version)"
    start main
    new_key client.test aes mon 'allow r' osd 'allow rw' >/dev/null
    ping_matrix "aes key" client.test aes
    usage_cases client.test aes
    bench_cases
    keyring_cases aes
    lossless_cases
    none_refused_cases
    beside_ceph_authtool
    signetd16
    trouble_cases
    none_cases
    start secure osd=0 mode=secure
    mode_cases crc secure
    start crc osd=0 mode=crc
    mode_cases secure crc
}

ceph20() {
    local root=${SIGNET_CACHE:-$HOME/.cache/signet}/sid code=0
    [ -e "$root/.ready" ] || echo "making a Debian tree with Ceph 20 in $root (1 GB, minutes)"
    "$here/root20.sh" "$root" >"$WORK/said" 2>"$WORK/log" || code=$?
    if [ "$code" = 3 ]; then
        echo "skipped: $(tail -n 1 "$WORK/log")"
        exit 0
    elif [ "$code" != 0 ]; then
        tail -n 20 "$WORK/log" >&2
        exit 1
    fi
    RUN=("$here/enter.sh" "$root")
    start main
    new_key client.new aes256k mon 'allow r' osd 'allow rw' >/dev/null
    new_key client.old aes mon 'allow r' osd 'allow rw' >/dev/null
    ping_matrix "aes256k key" client.new aes256k 'auth: aes256k session' 'osd: aes256k session'
    ping_matrix "aes key" client.old aes 'auth: aes session' 'osd: aes session'
    usage_cases client.new aes256k
    bench_cases
    keyring_cases aes256k
    none_refused_cases
    signetd20
    in_ceph ceph mon set auth_allowed_ciphers aes256k >/dev/null 2>&1
    ping_fails "cipher not allowed" "permission denied"$'\n'"auth_allowed_ciphers" \
        -m "v2:$MON_V2" -n client.old -k "$DIR/client.old.keyring"
    # One login, both kinds: the session key of AUTH is aes256k, that of the OSD aes.
    start mixed service=aes
    new_key client.new aes256k mon 'allow r' osd 'allow rw' >/dev/null
    ping_matrix "both kinds of key" client.new aes256k 'auth: aes256k session' 'osd: aes session'
    trouble_cases
    none_cases
    start secure osd=0 mode=secure
    mode_cases crc secure
}

# With signetd as the server. Tickets are sealed with aes256k all the same.
signetd16() {
    local ciphers=(--allowed-ciphers 'aes,aes256k' --preferred-cipher aes)
    same_answers "$MON_V2" "$DIR/client.admin.keyring" "${ciphers[@]}"
    map_cases "${ciphers[@]}"
    mode_matrix secure "${ciphers[@]}"
    mode_matrix crc "${ciphers[@]}"
    signetd_none_cases "${ciphers[@]}"
    NAMES=([client.admin]=$WORK/signetd-session/state/keyring)
    session_cases "${ciphers[@]}"
}

signetd20() {
    local both=(--allowed-ciphers 'aes,aes256k')
    same_answers "$MON_V2" "$DIR/client.admin.keyring" "${both[@]}"
    mode_matrix secure
    mode_matrix crc "${both[@]}" --preferred-cipher aes --service-cipher aes
    key_type_cases
    signetd_none_cases "${both[@]}"
    NAMES=([client.admin]=$WORK/signetd-session/state/keyring [client.old]=$WORK/old.keyring)
    session_cases "${both[@]}"
}

beside_ceph_authtool() {
    local code=0
    "$here/authtool.sh" "$SIGNET" >"$WORK/said" 2>&1 || code=1
    verdict "$code" "authtool beside ceph-authtool: $(tail -n 1 "$WORK/said")"
}

mode_cases() { # REFUSED ALLOWED
    local who=(-m "v2:$MON_V2" -n client.admin -k "$DIR/client.admin.keyring")
    ping_fails "mode mismatch: $1 at a monitor with $2 only" \
        "no common connection mode.*allows only '$2'" "${who[@]}" --ms-mode "$1"
    ping_ok "prefer-$1 gets $2" "logged in .* mode $2" "${who[@]}" --ms-mode "prefer-$1"
}

case $CEPH in
16) ceph16 ;;
20) ceph20 ;;
*) exit 2 ;;
esac
echo "$PASSED passed, $FAILED failed"
[ "$FAILED" = 0 ]
