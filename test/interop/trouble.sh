# shellcheck shell=bash
# signet bench where a real cluster is in its way: groups that are not active, a paused cluster, an
# OSD that is started again or is full. Sourced by run.sh.

TROUBLE=() # the command

trouble_cases() {
    start trouble store=$((192 << 20)) conf='osd fast shutdown = false'
    make_pool bench
    TROUBLE=("$SIGNET" bench -p bench -m "v2:$MON_V2" -k "$DIR/client.admin.keyring")
    run_case "bench waits for groups that are not active" 0 \
        $'^Backoffs of the OSD: +[1-9]\n^Operations sent again: +[1-9]\n^Newer maps: +[1-9]' \
        meanwhile inactive 12 write -b 4096
    run_case "bench waits while the cluster is paused" 0 $'^Newer maps: +[2-9]\nflags have changed' \
        meanwhile paused 10 write -b 4096
    run_case "bench goes on when the OSD is there again" 0 \
        $'lost the connection\nconnected to osd .* again\n^Reconnects: +[1-9]\n^Operations sent again: +[1-9]' \
        meanwhile restarted 10 write -b 4096 --no-cleanup --timeout 30
    run_case "and has lost nothing" 0 '^Total reads made: +[1-9]' "${TROUBLE[@]}" 60 seq
    run_case "bench cleanup" 0 '^Removed [1-9]' "${TROUBLE[@]}" cleanup
    run_case "which leaves nothing" 0 '' nothing_left
    full_cases
}

# An OSD above its fail-safe ratio drops writes without a word, unless they ask for one.
full_cases() {
    for _ in 1 2; do
        in_ceph rados -p bench --keyring "$DIR/client.admin.keyring" bench 1 write -b 4096 \
            --no-cleanup >/dev/null
        run_case "bench cleanup of what rados bench has left" 0 '^Removed [1-9]' "${TROUBLE[@]}" cleanup
        run_case "and bench write behind it" 0 '^Average IOPS: +[1-9]' "${TROUBLE[@]}" 1 write -b 4096
    done
    run_case "bench is told of a full OSD" 1 'No space left on device' \
        "${TROUBLE[@]}" 30 write -b 1M --no-cleanup
    run_case "bench cleanup of a full OSD" 0 '^Removed [1-9]' "${TROUBLE[@]}" cleanup
    run_case "which then takes writes again" 0 '^Average IOPS: +[1-9]' \
        wait_for 30 "${TROUBLE[@]}" 1 write -b 4096
}

# A bench with something going on beside it, which begins after a second.
meanwhile() { # WHAT ARGUMENT...
    local code=0 load
    "${TROUBLE[@]}" "${@:2}" &
    load=$!
    sleep 1
    "$1" >>"$DIR/setup.out" 2>&1
    wait "$load" || code=$?
    return "$code"
}

inactive() {
    in_ceph ceph osd pool set bench size 2
    in_ceph ceph osd pool set bench min_size 2
    sleep 1
    in_ceph ceph osd pool set bench min_size 1
}

paused() {
    in_ceph ceph osd set pause
    sleep 1
    in_ceph ceph osd unset pause
}

restarted() {
    local osd=${DAEMONS[0]} # the last that was started
    kill "$osd"
    wait "$osd" || true
    daemon osd ceph-osd -f -i 0 --keyring "$DIR/osd.0.keyring"
}

nothing_left() {
    [ "$(in_ceph rados -p bench --keyring "$DIR/client.admin.keyring" ls)" = ballast ]
}
