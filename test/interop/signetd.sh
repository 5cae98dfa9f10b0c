# shellcheck shell=bash
# Cases with signetd as the server and the programs of Ceph in RUN as its clients. Uses SIGNETD,
# WORK, CEPH, RUN and the functions of cluster.sh and cases.sh.
# Of the signetd that was started last: SD (its folder), S_PORT (monitor; then OSD, metrics), FSID.

here=${here:?}
# shellcheck source=signetd_objects.sh
. "$here/signetd_objects.sh"
# shellcheck source=signetd_session.sh
. "$here/signetd_session.sh"

FSID=51673e70-0000-4000-8000-00000000cafe
BENCH_SECONDS=10
SD='' S_PORT='' S_PID=''

# signetd_start NAME OPTION...: on a state of its own, or the one that is there.
signetd_start() {
    local name=$1
    shift
    SD=$WORK/$name
    if [ ! -d "$SD" ]; then
        mkdir "$SD"
        free_ports 3 >"$SD/port"
    fi
    S_PORT=$(cat "$SD/port")
    setpriv --pdeathsig KILL -- "$SIGNETD" --state "$SD/state" --mon "v2:127.0.0.1:$S_PORT" \
        --osd "v2:127.0.0.1:$((S_PORT + 1))" --metrics "127.0.0.1:$((S_PORT + 2))" \
        --fsid "$FSID" --pool bench=1 "$@" </dev/null >>"$SD/log" 2>&1 &
    S_PID=$!
    DAEMONS=("$S_PID" "${DAEMONS[@]}")
    wait_for 20 listening $((S_PORT + 2)) || {
        echo "signetd did not start; its last words:" >&2
        tail -n 5 "$SD/log" >&2
        exit 1
    }
}

signetd_stop() { # [SIGNAL]
    kill "-${1:-TERM}" "$S_PID"
    wait "$S_PID" 2>/dev/null || true
}

metric() { # NAME: its value, or 0
    local page
    exec 9<>"/dev/tcp/127.0.0.1/$((S_PORT + 2))"
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&9
    page=$(cat <&9)
    exec 9<&-
    awk -v name="$1" '$1 == name { value = $2 } END { print value + 0 }' <<<"$page"
}

# A command line of Ceph as client.admin, or as WHO with KEY.
at_signetd() { # PROGRAM ARGUMENT...
    local program=$1
    shift
    CEPH_DIR=$WORK timeout "${LIMIT:-30}" "${RUN[@]}" "$program" -c /dev/null \
        -m "v2:127.0.0.1:$S_PORT" -n "${WHO:-client.admin}" --keyring "${KEY:-$SD/state/keyring}" "$@"
}

as() { # ENTITY KEYRING COMMAND...
    local WHO=$1 KEY=$2
    shift 2
    "$@"
}

# Output that is JSON, about which a Python expression is true: d is what it holds.
json_of() { # EXPRESSION COMMAND...
    local test=$1
    shift
    "$@" >"$WORK/json" || return
    cat "$WORK/json"
    "$PYTHON" -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))' "$WORK/json" "$test"
}

prints() { # TEXT COMMAND...: exactly this on stdout
    local text=$1 out
    shift
    out=$("$@") || return
    echo "$out"
    [ "$out" = "$text" ]
}

# --- commands -----------------------------------------------------------------------------------

look_cases() { # LABEL
    run_case "$1, ping" 0 $'"state": "leader"\n"name": "a"\n'"$FSID" at_signetd ceph ping mon.a
    run_case "$1, -s" 0 "id: +$FSID"$'\nhealth: HEALTH_OK\nmon: 1 daemons, quorum a \\(age .*s\\)
osd: 1 osds: 1 up .*, 1 in\npools: +1 pools' at_signetd ceph -s
    run_case "$1, status as JSON" 0 '' json_of "d['fsid'] == '$FSID' and \
        d['health']['status'] == 'HEALTH_OK' and d['quorum_names'] == ['a'] and \
        d['osdmap']['num_up_osds'] == 1 and d['pgmap']['num_pools'] == 1" \
        at_signetd ceph status --format json
    run_case "$1, health" 0 '' prints HEALTH_OK at_signetd ceph health
    run_case "$1, fsid" 0 '' prints "$FSID" at_signetd ceph fsid
    run_case "$1, version" 0 '^signet version [0-9.]+$' at_signetd ceph version
    run_case "$1, tell" 0 '' json_of "d['release'] == 'signet'" at_signetd ceph tell mon.a version
}

# An entity from its making to its end.
entity_cases() { # LABEL
    local key=$SD/client.x old=$SD/client.x.old
    run_case "$1, get-or-create" 0 '' at_signetd ceph auth get-or-create client.x mon 'allow r' \
        osd 'allow rw pool=bench' -o "$key"
    run_case "$1, get" 0 "key = $(sed -n 's/.*key = //p' "$key" | sed 's/[+]/\\+/g')"$'
caps mon = "allow r"\ncaps osd = "allow rw pool=bench"' at_signetd ceph auth get client.x
    run_case "$1, its login" 0 '' prints "$FSID" as client.x "$key" at_signetd ceph fsid
    run_case "$1, its limits" 13 'EACCES: access denied' as client.x "$key" at_signetd ceph auth ls
    run_case "$1, profile" 0 '' at_signetd ceph auth caps client.x mon 'profile rbd'
    run_case "$1, its login by a profile" 0 '' prints "$FSID" as client.x "$key" at_signetd ceph fsid
    run_case "$1, caps" 0 '' at_signetd ceph auth caps client.x mon 'allow rx'
    run_case "$1, its new rights" 0 '' json_of "{e['entity']: e['caps'] for e in d['auth_dump']}\
['client.x'] == {'mon': 'allow rx'}" as client.x "$key" at_signetd ceph auth ls --format json
    mv "$key" "$old"
    run_case "$1, rotate" 0 '' at_signetd ceph auth rotate client.x -o "$key"
    run_case "$1, login by the new key" 0 '' as client.x "$key" at_signetd ceph fsid
    run_case "$1, none by the old one" 13 'permission denied|bad_method' \
        as client.x "$old" at_signetd ceph fsid
    run_case "$1, del" 0 '' at_signetd ceph auth del client.x
    run_case "$1, unknown entity" 13 'permission denied|bad_method' \
        as client.x "$key" at_signetd ceph fsid
    run_case "$1, wrong key" 13 'permission denied|bad_method' \
        as client.admin "$SD/wrong" at_signetd ceph fsid
}

# What a server in one mode is asked, by both handlers.
mode_matrix() { # secure|crc OPTION...
    local mode=$1 other=crc handler label
    shift
    [ "$mode" = secure ] || other=secure
    signetd_start "signetd-$mode" --ms-mode "$mode" --store-bytes 8G "$@"
    in_ceph ceph-authtool -C "$SD/wrong" -n client.admin -g >/dev/null
    for handler in nss openssl; do
        label="signetd, $mode, $handler"
        run_case "$label" 0 "$handler" "$SIGNETD" ctl --state "$SD/state" handler "$handler"
        look_cases "$label"
        entity_cases "$label"
        object_cases "$label"
        rados_bench_cases "$label" "$mode" "$BENCH_SECONDS"
    done
    # shellcheck disable=SC2016 # awk's
    run_case "signetd, $mode, never $other" 0 '' awk -v mode="mode=$mode" -v other="mode=$other" \
        '/event=session / { ok += /entity=client\.x/ && index($0, mode); bad += index($0, other) }
        END { exit ok < 4 || bad }' "$SD/log"
    signetd_stop
}

# Both types of keys, where both are allowed, and where one is.
key_type_cases() {
    local type
    signetd_start signetd-keys --allowed-ciphers 'aes,aes256k'
    for type in aes aes256k; do
        run_case "signetd, makes an $type key" 0 '' at_signetd ceph auth get-or-create \
            "client.$type" mon 'allow r' --key-type "$type" -o "$SD/$type"
        run_case "signetd, login by an $type key" 0 '' prints "$FSID" \
            as "client.$type" "$SD/$type" at_signetd ceph fsid
    done
    run_case "signetd, they are of these types" 0 '' grep -q 'key = AQ' "$SD/aes"
    run_case "signetd, and of these" 0 '' grep -q 'key = Ag' "$SD/aes256k"
    signetd_stop
    signetd_start signetd-keys --allowed-ciphers aes256k
    run_case "signetd, aes256k alone: takes it" 0 '' prints "$FSID" \
        as client.aes256k "$SD/aes256k" at_signetd ceph fsid
    run_case "signetd, aes256k alone: no aes key" 13 'permission denied|bad_method' \
        as client.aes "$SD/aes" at_signetd ceph fsid
    run_case "signetd, aes256k alone: makes no aes key" 22 'key type \("aes"\) not allowed' \
        at_signetd ceph auth get-or-create client.other --key-type aes
    signetd_stop
}

# --- beside a real monitor ----------------------------------------------------------------------

# The same entities at both, the same commands: the same answers.
same_answers() { # REAL_MON REAL_KEYRING OPTION...
    local mon=$1 keyring=$2 entities=$WORK/entities code=0
    shift 2
    in_ceph ceph auth export -o "$entities" 2>/dev/null
    cp "$here"/mon_commands.{py,txt} "$WORK"
    signetd_start signetd-same --keyring "$entities" "$@"
    answers "$mon" "$keyring" >"$WORK/theirs"
    answers "127.0.0.1:$S_PORT" "$keyring" >"$WORK/ours"
    diff "$WORK/theirs" "$WORK/ours" | cut -c 1-600 >"$WORK/said"
    cmp -s "$WORK/theirs" "$WORK/ours" || code=1
    [ "$(grep -c -- '->' "$WORK/theirs")" -gt 150 ] || code=1
    verdict "$code" "signetd answers $(grep -c -- '->' "$WORK/ours") commands as Ceph $CEPH does"
    signetd_stop
}

answers() { # MON KEYRING
    CEPH_DIR=$WORK timeout 60 "${RUN[@]}" "$PYTHON" "$WORK/mon_commands.py" "$1" "$2" \
        "$WORK/mon_commands.txt" "$CEPH" 2>&1 || true
}

# What the tools of Ceph find in our maps is what the commands show of them.
map_cases() {
    local osdmap=$WORK/osdmap monmap=$WORK/monmap
    signetd_start signetd-maps --ms-mode prefer-secure "$@"
    run_case "signetd, osd getmap" 0 'got osdmap' at_signetd ceph osd getmap -o "$osdmap"
    run_case "signetd, mon getmap" 0 'got monmap' at_signetd ceph mon getmap -o "$monmap"
    at_signetd ceph osd dump >"$WORK/dump"
    at_signetd ceph osd dump --format json >"$WORK/dump.json"
    at_signetd ceph mon dump >"$WORK/mon.dump" 2>/dev/null
    run_case "signetd, osdmaptool" 0 '' same_lines "$WORK/dump" osdmaptool --print "$osdmap"
    run_case "signetd, osdmaptool, JSON" 0 '' same_json "$WORK/dump.json" osdmaptool --dump json \
        "$osdmap"
    run_case "signetd, monmaptool" 0 '' same_lines "$WORK/mon.dump" monmaptool --print "$monmap"
    signetd_stop
}

same_lines() { # FILE COMMAND...: but for empty lines
    local file=$1
    shift
    diff <(grep . "$file") <("$@" 2>/dev/null | grep -v -e '^$' -e '^monmaptool:')
}

same_json() { # FILE COMMAND...
    local file=$1
    shift
    diff <("$PYTHON" -m json.tool "$file") <("$@" 2>/dev/null | "$PYTHON" -m json.tool)
}
