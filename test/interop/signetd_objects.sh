# shellcheck shell=bash
# Objects of signetd by the rados command; sourced by signetd.sh.

rados_at() { # ARGUMENT...
    at_signetd rados -p bench "$@"
}

same_object() { # OBJECT FILE ARGUMENT...: the object has what the file has
    local object=$1 file=$2
    shift 2
    rm -f "$WORK/got"
    rados_at "$@" get "$object" "$WORK/got" && cmp "$WORK/got" "$file"
}

object_cases() { # LABEL
    local in=$WORK/in
    [ -e "$in.1" ] || head -c 5000000 /dev/urandom >"$in.1"
    [ -e "$in.2" ] || head -c 70001 /dev/urandom >"$in.2"
    run_case "$1, put" 0 '' rados_at put one "$in.1"
    run_case "$1, get" 0 '' same_object one "$in.1"
    run_case "$1, stat" 0 'bench/one mtime .*, size 5000000$' rados_at stat one
    run_case "$1, append" 0 '' rados_at append one "$in.2"
    cat "$in.1" "$in.2" >"$in.3"
    run_case "$1, what was appended" 0 '' same_object one "$in.3"
    run_case "$1, truncate" 0 '' rados_at truncate one 4999999
    head -c 4999999 "$in.1" >"$in.3"
    run_case "$1, what is left" 0 '' same_object one "$in.3"
    run_case "$1, create" 0 '' rados_at create two
    run_case "$1, create it again" 1 'File exists' rados_at create two
    run_case "$1, touch" 0 '' rados_at touch three
    run_case "$1, namespace" 0 '' rados_at -N other put one "$in.2"
    run_case "$1, its object" 0 '' same_object one "$in.2" -N other
    run_case "$1, ls" 0 '' prints $'one\nthree\ntwo' listed
    run_case "$1, ls of a namespace" 0 '' prints one listed -N other
    run_case "$1, ls of all" 0 '' prints $'\tone\n\tthree\n\ttwo\nother\tone' listed --all
    run_case "$1, rm" 0 '' rados_at rm one
    run_case "$1, it is gone" 1 'No such file' rados_at stat one
    at_signetd ceph auth get-or-create client.ro mon 'allow r' osd 'allow r pool=bench' -o "$SD/ro"
    run_case "$1, who may read" 0 '' as client.ro "$SD/ro" same_object two /dev/null
    run_case "$1, may not write" 1 'Operation not permitted' as client.ro "$SD/ro" \
        rados_at put two "$in.2"
    run_case "$1, no snapshots" 1 'Operation not supported' rados_at mksnap before
    run_case "$1, df" 0 '^total_objects +3$' at_signetd rados df
    run_case "$1, df of pools" 0 '^bench +[0-9.]+ [KM]?i?B +3 +0 +3 ' at_signetd rados df
    run_case "$1, ceph df" 0 '^bench +1 +8 +[0-9.]+ [KM]?i?B +3 ' at_signetd ceph df
    for object in two three; do
        rados_at rm "$object"
    done
    rados_at -N other rm one
}

listed() { # ARGUMENT...
    rados_at ls "$@" | LC_ALL=C sort
}

# A bench whose reads are looked at: it ends well though an object is not what was written.
reads_right() { # COMMAND...
    local code=0
    "$@" >"$WORK/seen" 2>&1 || code=$?
    tail -n 40 "$WORK/seen"
    ! grep -i 'not correct\|differs\|^warning' "$WORK/seen" || code=1
    return "$code"
}

# As long as people run it; what it leaves in between is looked at with our client, too.
rados_bench_cases() { # LABEL MODE SECONDS
    # shellcheck disable=SC2034 # run_case looks at it
    local LIMIT=$(($3 + 120))
    local line=$'Average IOPS: +[1-9][0-9]*$'
    run_case "$1, bench write" 0 "$line" rados_at bench "$3" write -t 16 -b 4096 --no-cleanup
    run_case "$1, df of it" 0 '^total_objects +[1-9][0-9]{3,}$' at_signetd rados df
    run_case "$1, bench seq" 0 "$line" reads_right rados_at bench "$3" seq -t 16
    run_case "$1, bench rand" 0 "$line" reads_right rados_at bench "$3" rand -t 16
    run_case "$1, our bench finds it right" 0 "$line" "$SIGNET" bench 3 seq -p bench \
        -m "v2:127.0.0.1:$S_PORT" -k "$SD/state/keyring" --ms-mode "$2"
    run_case "$1, cleanup" 0 'Removed [1-9][0-9]* objects' rados_at cleanup
    run_case "$1, nothing is left" 0 '^total_objects +0$' at_signetd rados df
}
