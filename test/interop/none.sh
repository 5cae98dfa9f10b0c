# shellcheck shell=bash
# Authentication none, both ways round. Uses what run.sh has sourced.

# At a cluster with cephx: the one that runs.
none_refused_cases() {
    ping_fails "auth none at a cluster with cephx" \
        "does not allow authentication none"$'\nleave --auth none out' \
        -m "v2:$MON_V2" --auth none --ms-mode crc
}

# A cluster without authentication, and our clients.
none_cases() {
    local who bench rados
    start none auth=none
    who=(-m "v2:$MON_V2" --auth none --ms-mode crc)
    bench=("$SIGNET" bench "${who[@]}" -p bench)
    rados=(in_ceph rados -p bench)
    make_pool bench
    ping_ok "auth none, mon and osd" \
        $'method none, mode crc, global_id [1-9]\nsession +with mon\\.0\nsession +with osd\\.0' \
        "${who[@]}" -n client.anybody --osd "v2:$OSD_V2"
    ping_fails "cephx at a cluster without authentication" \
        $'does not allow cephx\nadd --auth none --ms-mode crc' \
        -m "v2:$MON_V2" -n client.admin -k "$DIR/client.admin.keyring" --ms-mode crc
    run_case "auth none, bench write" 0 '^Average IOPS: +[1-9]' "${bench[@]}" 1 write -b 4096 \
        --no-cleanup
    run_case "auth none, rados bench reads it" 0 '^Total reads made: +[1-9]' "${rados[@]}" bench 1 seq
    run_case "auth none, bench seq" 0 '^Total reads made: +[1-9]' "${bench[@]}" 60 seq
    run_case "auth none, bench rand" 0 '^Average IOPS: +[1-9]' "${bench[@]}" 1 rand --conns 4
    run_case "auth none, rados cleanup" 0 '^Removed [1-9]' "${rados[@]}" cleanup
}

# Ceph's clients at signetd without authentication, with a keyring and without any.
signetd_none_cases() { # OPTION...
    local label='signetd, auth none' in=$WORK/in.2 KEY none=(--auth_client_required none)
    [ -e "$in" ] || head -c 70001 /dev/urandom >"$in"
    signetd_start signetd-none --auth none --ms-mode crc "$@"
    KEY=/dev/null
    run_case "$label, -s" 0 'health: HEALTH_OK' at_signetd ceph "${none[@]}" -s
    run_case "$label, a client with Ceph's defaults" 0 '' prints "$FSID" at_signetd ceph fsid
    run_case "$label, who may do anything" 0 'client\.admin' as client.stranger /dev/null \
        at_signetd ceph "${none[@]}" auth ls
    run_case "$label, put" 0 '' rados_at "${none[@]}" put one "$in"
    run_case "$label, get" 0 '' same_object one "$in" "${none[@]}"
    run_case "$label, rm" 0 '' rados_at "${none[@]}" rm one
    run_case "$label, bench write" 0 'Average IOPS: +[1-9]' rados_at "${none[@]}" bench 1 write \
        -t 16 -b 4096 --no-cleanup
    run_case "$label, bench seq" 0 'Average IOPS: +[1-9]' rados_at "${none[@]}" bench 1 seq
    run_case "$label, bench rand" 0 'Average IOPS: +[1-9]' rados_at "${none[@]}" bench 1 rand
    run_case "$label, cleanup" 0 'Removed [1-9]' rados_at "${none[@]}" cleanup
    # shellcheck disable=SC2034 # of at_signetd
    KEY=$SD/state/keyring
    run_case "$label, a client that wants cephx" 13 'permission denied|bad_method' \
        at_signetd ceph --auth_client_required cephx fsid
    run_case "$label, the log says why" 0 '' grep -q \
        'cause=AUTH_METHOD.*authentication method none alone is allowed' "$SD/log"
    signetd_stop
    signetd_start signetd-none --ms-mode prefer-secure "$@"
    run_case "signetd, cephx, a client without" 13 'permission denied|bad_method' \
        at_signetd ceph "${none[@]}" fsid
    run_case "signetd, cephx, the log says why" 0 '' grep -q \
        'cause=AUTH_METHOD.*authentication method cephx alone is allowed' "$SD/log"
    run_case "signetd, cephx, its own clients" 0 '' prints "$FSID" at_signetd ceph fsid
    signetd_stop
}
