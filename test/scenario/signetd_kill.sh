#!/bin/bash
# signetd_kill.sh SIGNET SIGNETD MON_CLIENT UPDATES KILLS: kills a daemon again and again while a
# client changes an entity, and some first starts. Each start finds a state that loads, at the last change that was
# acknowledged, or at the one that was under way.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
updates=$4 kills=$5
done_=0 killed=0

change() { # FROM TO: one command a line
    seq "$1" "$2" | sed 's/.*/{"prefix": "auth caps", "entity": "client.x", "caps": ["osd", "allow r pool=n&"]}/'
}

# The number that the state has.
present() {
    run_commands <<<'{"prefix": "auth get", "entity": "client.x"}' |
        sed -n 's/^\tcaps osd = "allow r pool=n\([0-9]*\)"$/\1/p'
}

acknowledged() {
    grep -c '^0 ' "$work/acks" || true
}

reached() {
    [ "$(acknowledged)" -ge "$1" ] || ! kill -0 "$writer" 2>/dev/null
}

# A first start that is cut off somewhere is gone on with by the next.
for ((i = 0; i < kills; i++)); do
    rm -rf "$work/state"
    : >"$log"
    "$signetd" --state "$work/state" --mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics none \
        2>>"$log" &
    pid=$!
    sleep "0.0$((RANDOM % 60 + 10))"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null || true
    start
    ping >"$work/out" || fail "no login after a first start that was cut off: $(cat "$work/out")"
    stop
done
rm -rf "$work/state"

start
run_commands >"$work/out" <<<'{"prefix": "auth get-or-create", "entity": "client.x", "caps": ["osd", "allow r pool=n0"]}' ||
    fail "the first command"
each=$((updates / kills))
while [ "$done_" -lt "$updates" ]; do
    change $((done_ + 1)) "$updates" | run_commands >"$work/acks" 2>/dev/null &
    writer=$!
    # Somewhere in the next lot, at no particular moment of a change.
    await reached $((1 + RANDOM % (2 * each))) || fail "no change is acknowledged"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null || true
    wait "$writer" || true
    killed=$((killed + 1))
    last=$((done_ + $(acknowledged)))
    start
    now=$(present)
    [ "$now" = "$last" ] || [ "$now" = $((last + 1)) ] ||
        fail "change $last was acknowledged, but the state has ${now:-nothing}"
    done_=$now
done
[ "$killed" -gt 1 ] || fail "it was killed $killed times only"
stop
echo "$updates changes, killed $killed times: the state always had the last one"
