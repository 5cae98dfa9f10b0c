# shellcheck shell=bash disable=SC2034
# Throw-away Ceph clusters on loopback, for scripts that source this file.
#   RUN      array put before every Ceph program (empty, or enter.sh and a root)
#   WORK     folder for everything; made by the caller, removed by the caller
#   CEPH     20 or 16: what the programs in RUN are
# cluster_start NAME [KEY=VALUE...] starts a monitor and, unless osd=0, an OSD in memory:
#   mode=secure|crc  the only connection mode that is allowed (both by default)
#   auth=none        no authentication (cephx by default)
#   service=CIPHER   20: auth_service_cipher (aes256k by default)
#   store=BYTES      what the OSD can hold (256 MiB by default)
#   conf=LINE        one more for the section global
# and sets MON_V2, MON_V1 (HOST:PORT), OSD_V2 (HOST:PORT/NONCE), OSD_PID and DIR (keyrings: client.admin.keyring, ...).
# Daemons are children of the calling shell and die with it; cluster_stop_all ends them in order.

DAEMONS=()

listening() { # PORT
    local hex
    hex=$(printf ':%04X' "$1")
    awk -v port="$hex" '$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 }
        END { exit !found }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# The first of num consecutive ports that nobody listens on.
free_ports() { # NUM
    local base i
    for _ in $(seq 100); do
        base=$((20000 + RANDOM % 12000))
        for ((i = 0; i < $1; i++)); do
            ! listening $((base + i)) || continue 2
        done
        echo "$base"
        return
    done
    echo "no $1 free ports" >&2
    return 1
}

in_ceph() {
    CEPH_CONF=$DIR/ceph.conf CEPH_DIR=$WORK timeout "${LIMIT:-30}" "${RUN[@]}" "$@"
}

wait_for() { # SECONDS COMMAND...
    local until=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt "$until" ] || return 1
        sleep 0.3
    done
}

write_conf() { # MODE PORT STORE AUTH [LINE...]
    local allowed='' who
    if [ -n "$1" ]; then
        for who in cluster service client mon_cluster mon_service mon_client; do
            allowed+="ms_${who}_mode = $1"$'\n'
        done
    fi
    cat >"$DIR/ceph.conf" <<CONF
[global]
fsid = 51673e70-0000-4000-8000-$(printf '%012d' "$2")
mon host = [v2:127.0.0.1:$2,v1:127.0.0.1:$(($2 + 1))]
mon initial members = a
auth cluster required = $4
auth service required = $4
auth client required = $4
${allowed}public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind port min = $(($2 + 2))
ms bind port max = $(($2 + 19))
run dir = $DIR
admin socket =
log file = $DIR/\$name.log
log to stderr = false
err to stderr = false
mon cluster log file = $DIR/cluster.log
crash dir = $DIR
keyring = $DIR/\$name.keyring
mon data = $DIR/mon
osd data = $DIR/osd
osd objectstore = memstore
memstore device bytes = $3
osd class load list = *
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
auth allow insecure global id reclaim = false
${5:-}
[client]
log file =
CONF
}

# daemon NAME COMMAND...: in the background, killed by the kernel if this shell is.
daemon() {
    local out=$DIR/$1.out
    shift
    CEPH_CONF=$DIR/ceph.conf CEPH_DIR=$WORK \
        setpriv --pdeathsig KILL -- "${RUN[@]}" "$@" </dev/null >"$out" 2>&1 &
    DAEMONS=("$!" "${DAEMONS[@]}")
}

key_type() {
    [ "$CEPH" = 16 ] || echo "--key-type $1"
}

make_mon() { # PORT SERVICE_CIPHER
    local everything=(--cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *') ciphers=() type
    [ "$CEPH" = 16 ] || ciphers=(--enable-all-features --set-min-mon-release tentacle
        --auth-allowed-ciphers 'aes,aes256k' --auth-preferred-cipher aes256k
        --auth-service-cipher "${2:-aes256k}")
    read -ra type <<<"$(key_type aes256k)"
    in_ceph ceph-authtool -C "$DIR/mon.keyring" -g "${type[@]}" -n mon. --cap mon 'allow *'
    in_ceph ceph-authtool -C "$DIR/client.admin.keyring" -g "${type[@]}" -n client.admin \
        "${everything[@]}"
    cat "$DIR/mon.keyring" "$DIR/client.admin.keyring" >"$DIR/first.keyring"
    in_ceph monmaptool --create --fsid "$(awk '/^fsid/ { print $3 }' "$DIR/ceph.conf")" \
        "${ciphers[@]}" --addv a "[v2:127.0.0.1:$1,v1:127.0.0.1:$(($1 + 1))]" "$DIR/monmap"
    in_ceph ceph-mon -i a --mkfs --monmap "$DIR/monmap" --keyring "$DIR/first.keyring"
}

make_osd() {
    local uuid=51673e70-0000-4000-8000-0000000000aa
    new_key osd.0 aes256k mon 'allow profile osd' mgr 'allow profile osd' osd 'allow *'
    in_ceph ceph osd new "$uuid" 0
    mkdir "$DIR/osd"
    in_ceph ceph-osd -i 0 --mkfs --osd-uuid "$uuid" --keyring "$DIR/osd.0.keyring"
}

# new_key NAME TYPE CAPS...: an entity whose keyring is DIR/NAME.keyring. A monitor may refuse
# keys of type aes until it has noticed that they are allowed.
new_key() {
    local name=$1 type
    read -ra type <<<"$(key_type "$2")"
    shift 2
    wait_for 20 in_ceph ceph auth get-or-create "$name" "$@" "${type[@]}" \
        -o "$DIR/$name.keyring"
}

# Whether the OSD is up; without authentication it may ask before the monitor knows it, and end: then
# it is started again.
osd_is_up() {
    osd_address && return
    if ! kill -0 "$OSD_PID" 2>/dev/null; then
        daemon osd ceph-osd -f -i 0 --keyring "$DIR/osd.0.keyring"
        OSD_PID=${DAEMONS[0]}
    fi
    return 1
}

osd_address() {
    OSD_V2=$(in_ceph ceph osd dump 2>/dev/null |
        sed -n '/^osd\.0 up / { s/\[v2:\([0-9.:/]*\),.*/\n\1/; s/.*\n//p }')
    [ -n "$OSD_V2" ]
}

cluster_start() {
    local name=$1 osd=1 mode='' auth=cephx service='' store=268435456 conf='' port option
    shift
    for option in "$@"; do
        local "${option?}"
    done
    DIR=$WORK/$name
    mkdir -p "$DIR"
    port=$(free_ports 20)
    MON_V2=127.0.0.1:$port MON_V1=127.0.0.1:$((port + 1)) OSD_V2=''
    write_conf "$mode" "$port" "$store" "$auth" "$conf"
    make_mon "$port" "$service" >"$DIR/setup.out" 2>&1 || return
    daemon mon ceph-mon -f -i a --keyring "$DIR/mon/keyring"
    wait_for 60 in_ceph ceph --connect-timeout 5 -s >>"$DIR/setup.out" 2>&1 || return
    [ "$osd" = 1 ] || return 0
    make_osd >>"$DIR/setup.out" 2>&1 || return
    daemon osd ceph-osd -f -i 0 --keyring "$DIR/osd.0.keyring"
    OSD_PID=${DAEMONS[0]}
    wait_for 60 osd_is_up
}

cluster_stop_all() {
    local pid
    for pid in "${DAEMONS[@]}"; do
        kill "$pid" 2>/dev/null || continue
        wait_for 5 eval "! kill -0 $pid 2>/dev/null" || kill -9 "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    DAEMONS=()
}
