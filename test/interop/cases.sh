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
    timeout 60 "$@" >"$WORK/said" 2>&1 </dev/null || got=$?
    [ "$got" = "$code" ] || miss=1
    while read -r pattern; do
        grep -Eiq -- "$pattern" "$WORK/said" || {
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
ping_matrix() { # LABEL ENTITY [PATTERN...]
    local label=$1 entity=$2 mode handler who patterns
    shift 2
    for mode in crc secure; do
        for handler in nss openssl; do
            who=(-n "$entity" -k "$DIR/$entity.keyring" --ms-mode "$mode" --handler "$handler")
            patterns=$(printf '%s\n' "$mode" global_id "$@")
            ping_ok "$label mon $mode $handler" "$patterns" -m "v2:$MON_V2" "${who[@]}"
            ping_ok "$label osd $mode $handler" "$patterns"$'\n'"osd" -m "v2:$MON_V2" \
                --osd "v2:$OSD_V2" "${who[@]}"
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

failures() { # ENTITY TYPE
    local entity=$1 keyring=$DIR/$1.keyring who type
    who=(-n "$entity" -k "$keyring")
    read -ra type <<<"$(key_type "$2")"
    in_ceph ceph-authtool -C "$WORK/wrong.keyring" -n "$entity" -g "${type[@]}" >/dev/null
    ping_fails "wrong key" "key" -m "v2:$MON_V2" -n "$entity" -k "$WORK/wrong.keyring"
    sed 's/^\[.*\]/[client.nobody]/' "$keyring" >"$WORK/nobody.keyring"
    ping_fails "unknown entity" "client.nobody" -m "v2:$MON_V2" -n client.nobody \
        -k "$WORK/nobody.keyring"
    ping_fails "entity not in the keyring" "client.stranger" -m "v2:$MON_V2" -n client.stranger \
        -k "$keyring"
    ping_fails "msgr1 port" "msgr1" -m "v2:$MON_V1" "${who[@]}"
    ping_fails "nobody listens" "refused|listen" -m "v2:127.0.0.1:$(free_ports 1)" "${who[@]}"
    stranger $'SSH-2.0-OpenSSH_9.2p1\r\n'
    ping_fails "not Ceph" "not .*ceph" -m "v2:$STRANGER" "${who[@]}"
}
