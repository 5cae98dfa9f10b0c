#!/bin/bash
# What the scenarios with a real signetd share: source it with the arguments SIGNET SIGNETD
# MON_CLIENT, the programs. Everything happens in $work, which goes at the end.
# shellcheck disable=SC2034,SC2120 # variables and arguments are for those who source this
signet=$1 signetd=$2 client=$3
work=$(mktemp -d)
pid=
log=$work/log

end() {
    local code=$?
    [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
    if [ "$code" != 0 ] && [ -e "$log" ]; then
        echo "-- the daemon's log" >&2
        tail -n 40 "$log" >&2
    fi
    rm -rf "$work"
    exit "$code"
}
trap end EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# Waits up to half a minute for a command to succeed.
await() { # COMMAND...
    local i
    for ((i = 0; i < 600; i++)); do
        ! "$@" || return 0
        sleep 0.05
    done
    return 1
}

# A line of the log has it, or has it soon: a thread writes them.
logged() { # TEXT
    grep -qF -- "$1" "$log" || { sleep 0.1 && grep -qF -- "$1" "$log"; }
}

# Starts a daemon on $work/state, ports of its own choice, and waits until it serves.
start() { # OPTION...
    : >"$log"
    "$signetd" --state "$work/state" --mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics 0 "$@" \
        2>>"$log" &
    pid=$!
    await ended_or_logged || fail "the daemon does not start"
    logged event=start || fail "the daemon ended at its start"
    mon=$(status mon) osd=$(status osd) metrics=$(status metrics)
    keyring=$work/state/keyring
}

ended_or_logged() {
    logged event=start || ! kill -0 "$pid" 2>/dev/null
}

ctl() { # WORD...
    "$signetd" ctl --state "$work/state" "$@"
}

status() { # NAME
    ctl status | sed -n "s/^$1  *//p"
}

# Ends the daemon and expects an exit code.
stop() { # [SIGNAL [CODE]]
    local code=0
    kill "-${1:-TERM}" "$pid"
    wait "$pid" || code=$?
    pid=
    [ "$code" = "${2:-0}" ] || fail "the daemon ended with $code, not ${2:-0}"
}

ping() { # OPTION...
    "$signet" ping -m "${mon%/*}" -n client.admin -k "$keyring" -c 2 "$@"
}

metric() { # NAME[{LABELS}]: its value
    fetch | awk -v name="$1" '$1 == name { print $2 }'
}

# The page of metrics, by bash alone.
fetch() {
    local line
    local host=${metrics%:*}
    host=${host#[}
    exec 3<>"/dev/tcp/${host%]}/${metrics##*:}"
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
    while read -r line <&3 && [ "$line" != $'\r' ]; do :; done
    cat <&3
    exec 3<&-
}

# Commands at the monitor, one JSON object a line of stdin.
run_commands() { # [MODE]
    "$client" "${mon%/*}" "$keyring" client.admin "${1:-secure}"
}
