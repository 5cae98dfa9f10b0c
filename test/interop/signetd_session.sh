# shellcheck shell=bash
# Sessions of librados with signetd that last; sourced by signetd.sh.

here=${here:?}
declare -A ASK TOLD # file descriptors, by the name of the session
declare -A NAMES=() # of sessions: entities; first their keyrings, then their global_ids

# session NAME ENTITY KEYRING OPTION=VALUE...: opens one; sets GID.
session() {
    local name=$1 line ask told
    shift
    cp "$here/session.py" "$WORK"
    mkfifo "$WORK/$name.in" "$WORK/$name.out"
    CEPH_DIR=$WORK setpriv --pdeathsig KILL -- "${RUN[@]}" "$PYTHON" "$WORK/session.py" \
        "127.0.0.1:$S_PORT" "$@" <"$WORK/$name.in" >"$WORK/$name.out" 2>"$WORK/$name.err" &
    DAEMONS=("$!" "${DAEMONS[@]}")
    exec {ask}>"$WORK/$name.in" {told}<"$WORK/$name.out"
    ASK[$name]=$ask TOLD[$name]=$told
    read -r -t 30 line <&"$told" || line=nothing
    echo "$line" >"$WORK/said"
    GID=${line#connected }
    [[ $line == connected\ [1-9]* ]]
}

# It answers, by the same global_id as before.
still_there() { # NAME GID
    local line
    echo '{"prefix": "fsid"}' >&"${ASK[$1]}"
    read -r -t 30 line <&"${TOLD[$1]}" || line=nothing
    echo "$line"
    [ "$line" = "0 $2 \"$FSID\\n\"" ]
}

renewed() { # NUM: so many renewals, and a rotation beside the first secrets
    [ "$(metric signet_renewals_total)" -ge "$1" ] && [ "$(metric signet_rotations_total)" -ge 2 ]
}

reclaimed() { # NUM
    [ "$(metric signet_reclaims_total)" -ge "$1" ]
}

# Tickets of 8 seconds, which clients renew after 6. Each client logs in twice, first for the maps.
session_cases() { # OPTION...
    local ttl=(--auth-ttl 8 --service-ttl 8) name signal num=${#NAMES[@]}
    signetd_start signetd-session "${ttl[@]}" "$@"
    open_sessions || return 0
    run_case "signetd, two renewals and a rotation" 0 '' wait_for 30 renewed $((2 * num))
    run_case "signetd, another handler" 0 openssl "$SIGNETD" ctl --state "$SD/state" handler openssl
    sessions_go_on "over renewals, a rotation and another handler"
    for signal in TERM KILL; do
        signetd_stop "$signal"
        signetd_start signetd-session "${ttl[@]}" "$@"
        sessions_go_on "over SIG$signal and a new start"
        for name in "${!NAMES[@]}"; do
            run_case "signetd, $name took back its global_id after SIG$signal" 0 '' \
                logged_since_start "event=session .*global_id=${NAMES[$name]} "
        done
        run_case "signetd counts who came back after SIG$signal" 0 '' reclaimed "$num"
    done
    signetd_stop
}

sessions_go_on() { # HOW
    local name
    for name in "${!NAMES[@]}"; do
        run_case "signetd, $name stays logged in $1" 0 '' still_there "$name" "${NAMES[$name]}"
    done
}

# An entity that has no keyring yet gets an aes key.
open_sessions() {
    local name code=0
    for name in "${!NAMES[@]}"; do
        [ -e "${NAMES[$name]}" ] || at_signetd ceph auth get-or-create "$name" mon 'allow r' \
            --key-type aes -o "${NAMES[$name]}"
        session "$name" "$name" "${NAMES[$name]}" || code=1
        NAMES[$name]=$GID
        verdict "$code" "signetd, $name opens a session"
    done
    return $code
}

logged_since_start() { # PATTERN
    tac "$SD/log" | sed '/event=start /q' | grep -E "$1"
}
