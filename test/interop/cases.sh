# shellcheck shell=bash
# Cases of the command against a running cluster. Each prints `ok NAME` or `FAIL NAME` and, when
# it failed, what the command said. Uses SIGNET, WORK, DIR, MON_V2, MON_V1, OSD_V2.

PASSED=0 FAILED=0

verdict() { # 0|1 NAME
    if [ "$1" = 0 ]; then
        echo "ok   $2"
        PASSED=$((PASSED + 1))
    else
        echo "FAIL $2"
        sed 's/^/     | /' "$WORK/said"
        FAILED=$((FAILED + 1))
    fi
}

run_case() { # NAME CODE PATTERNS COMMAND...: exit code and every line of PATTERNS must match
    local name=$1 code=$2 patterns=$3 got=0 pattern miss=0
    shift 3
    "$@" >"$WORK/said" 2>&1 </dev/null || got=$?
    [ "$got" = "$code" ] || miss=1
    while read -r pattern; do
        [ -z "$pattern" ] || grep -Eiq -- "$pattern" "$WORK/said" || {
            echo "(no line matches: $pattern)" >>"$WORK/said"
            miss=1
        }
    done <<<"$patterns"
    echo "(exit code $got: ${*##*/})" >>"$WORK/said"
    verdict "$miss" "$name"
}

ping_ok() { # NAME PATTERNS ARGUMENT...
    local name=$1 patterns=$2
    shift 2
    run_case "$name" 0 "$patterns" "$SIGNET" ping "$@"
}

ping_fails() { # NAME PATTERNS ARGUMENT...
    local name=$1 patterns=$2
    shift 2
    run_case "$name" 1 "$patterns" "$SIGNET" ping "$@"
}

# {crc, secure} x {nss, openssl} at the monitor and at the OSD.
ping_matrix() { # LABEL ENTITY KEY_TYPE [PATTERN...]
    local label=$1 entity=$2 type=$3 mode handler who patterns
    shift 3
    for mode in crc secure; do
        for handler in nss openssl; do
            who=(-m "v2:$MON_V2" -n "$entity" -k "$DIR/$entity.keyring" --ms-mode "$mode"
                --handler "$handler")
            patterns=$(printf '%s\n' "^$entity with $type key, handler $handler" \
                "logged in .* mode $mode, global_id [1-9]" 'signatures +right' \
                'session +with mon\.0' 'keepalive +4 round trips' "$@")
            ping_ok "$label, mon, $mode, $handler" "$patterns" "${who[@]}"
            ping_ok "$label, osd, $mode, $handler" "$patterns"$'\n''session +with osd\.0' \
                "${who[@]}" --osd "v2:$OSD_V2"
        done
    done
}

# A stranger on a port of its own: says TEXT to whoever connects, then waits.
stranger() { # TEXT; sets STRANGER
    local port
    port=$(free_ports 1)
    STRANGER=127.0.0.1:$port
    # shellcheck disable=SC2016 # the dollars are perl's
    setpriv --pdeathsig KILL -- perl -MIO::Socket::INET -e '
        my ($port, $text) = @ARGV;
        my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port,
            Listen => 5, ReuseAddr => 1) or die;
        while (my $peer = $listener->accept()) { $peer->autoflush(1); print $peer $text; push @all, $peer; }
    ' "$port" "$1" </dev/null >/dev/null 2>&1 &
    DAEMONS=("$!" "${DAEMONS[@]}")
    wait_for 10 listening "$port"
}

# What else a user may do, and does wrong.
usage_cases() { # ENTITY KEY_TYPE
    local entity=$1 keyring=$DIR/$1.keyring who type nobody
    who=(-n "$entity" -k "$keyring")
    ping_ok "by ceph.conf" "keepalive +2 round" -C "$DIR/ceph.conf" -n client.admin -c 2
    ping_ok "by address list" "keepalive" -m "[v2:$MON_V2,v1:$MON_V1]" "${who[@]}"
    ping_ok "the second of two monitors" "keepalive" -m "v2:127.0.0.1:$(free_ports 1),v2:$MON_V2" \
        "${who[@]}"
    ping_ok "as JSON" '"ok": *true' -m "v2:$MON_V2" "${who[@]}" --format json
    read -ra type <<<"$(key_type "$2")"
    in_ceph ceph-authtool -C "$WORK/wrong.keyring" -n "$entity" -g "${type[@]}" >/dev/null
    ping_fails "wrong key" "permission denied"$'\n'"wrong key" -m "v2:$MON_V2" -n "$entity" \
        -k "$WORK/wrong.keyring"
    sed 's/^\[.*\]/[client.nobody]/' "$keyring" >"$WORK/nobody.keyring"
    ping_fails "unknown entity" "permission denied"$'\n'"does not know this entity" \
        -m "v2:$MON_V2" -n client.nobody -k "$WORK/nobody.keyring"
    ping_fails "entity not in the keyring" "client\.stranger" -m "v2:$MON_V2" \
        -n client.stranger -k "$keyring"
    ping_fails "msgr1 port" "speaks msgr1" -m "v2:$MON_V1" "${who[@]}"
    ping_fails "v1 address" "address of msgr1" -m "v1:$MON_V1" "${who[@]}"
    nobody=127.0.0.1:$(free_ports 1)
    ping_fails "nobody listens" "nobody listens at v2:$nobody" -m "v2:$nobody" "${who[@]}"
    stranger $'SSH-2.0-OpenSSH_9.2p1\r\n'
    ping_fails "not Ceph" "not a Ceph port" -m "v2:$STRANGER" "${who[@]}"
    stranger ''
    ping_fails "silence" "went silent" -m "v2:$STRANGER" "${who[@]}" --timeout 1
    ping_fails "monitor taken for an OSD" "not an OSD" -m "v2:$MON_V2" --osd "v2:$MON_V2/0" \
        "${who[@]}"
    ping_fails "another OSD's nonce" "not exactly the daemon's own" -m "v2:$MON_V2" \
        --osd "v2:${OSD_V2%/*}/1" "${who[@]}"
}

# The real tools and daemons take keyrings that were made here, and the other way round.
keyring_cases() {
    "$SIGNET" authtool -C "$DIR/client.made.keyring" -n client.made --gen-key --key-type "$1" \
        --cap mon 'allow r' >"$WORK/said" 2>&1 || true
    run_case "ceph-authtool reads our keyring" 0 'client\.made' in_ceph ceph-authtool -l \
        "$DIR/client.made.keyring"
    run_case "ceph auth import takes it" 0 '' in_ceph ceph auth import \
        -i "$DIR/client.made.keyring"
    ping_ok "its entity logs in" "keepalive" -m "v2:$MON_V2" -n client.made \
        -k "$DIR/client.made.keyring"
    run_case "ceph logs in with it" 0 'quorum' in_ceph ceph -n client.made \
        --keyring "$DIR/client.made.keyring" mon stat
    run_case "we read Ceph's keyring" 0 'client\.admin' "$SIGNET" authtool -l \
        "$DIR/client.admin.keyring"
}

make_pool() { # NAME
    in_ceph ceph osd pool create "$1" 8 8 >/dev/null 2>&1
    in_ceph ceph osd pool set "$1" size 1 --yes-i-really-mean-it >/dev/null 2>&1
    # memstore counts its bytes without a lock and may lose some. Below 0 it takes itself for full and
    # drops writes: what stays there keeps it above.
    head -c 4M /dev/zero >"$DIR/ballast"
    in_ceph rados -p "$1" --keyring "$DIR/client.admin.keyring" put ballast "$DIR/ballast"
}

# signet bench on a real OSD, and rados bench on what it left.
bench_cases() {
    local mode handler object rados=(in_ceph rados -p bench --keyring "$DIR/client.admin.keyring")
    local bench=("$SIGNET" bench -p bench -m "v2:$MON_V2" -k "$DIR/client.admin.keyring")
    make_pool bench
    run_case "bench, nothing to read" 1 'Must write data before' "${bench[@]}" 1 seq
    for mode in crc secure; do
        for handler in nss openssl; do
            run_case "bench write, $mode, $handler" 0 '^Average IOPS: +[1-9]' "${bench[@]}" 1 write \
                -b 4096 --no-cleanup --ms-mode "$mode" --handler "$handler"
            run_case "rados bench reads it" 0 '^Total reads made: +[1-9]' "${rados[@]}" bench 1 seq
            run_case "bench rand, $mode, $handler" 0 '^Average IOPS: +[1-9]' "${bench[@]}" 1 rand \
                --conns 4 --threads 2 --ms-mode "$mode" --handler "$handler"
        done
    done
    # of the last write: process numbers grow
    object=$("${rados[@]}" ls | grep 'object[0-9]$' | sort -V | tail -n 1)
    "${rados[@]}" put "$object" "$DIR/ceph.conf"
    run_case "bench sees what is changed" 1 'is not what the write left' "${bench[@]}" 60 seq
    run_case "rados cleanup" 0 '^Removed [1-9]' "${rados[@]}" cleanup
    "${rados[@]}" bench 1 write -b 4096 --no-cleanup >/dev/null
    run_case "bench reads what rados bench wrote" 0 '^Total reads made: +[1-9]' "${bench[@]}" 60 seq
    run_case "bench cleans up" 0 '^Removed [1-9]' "${bench[@]}" 1 write -b 4096
    run_case "bench without its pool" 1 "there is no pool 'x'" "${bench[@]}" 1 write -p x
}
