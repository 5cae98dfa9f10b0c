#!/bin/bash
# signetd_bench_lost.sh SIGNET SIGNETD MON_CLIENT: signet bench goes on over restarts of the daemon
# in the middle of a run, over its moving to other ports, and longer than its tickets live; and
# gives up in time with the cause when nobody comes back.
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
load=

bench_begin() { # OPTION...: in the background
    : >"$work/out"
    "$signet" bench -p bench -m "${mon%/*}" -k "$work/state/keyring" "$@" >"$work/out" 2>"$work/err" &
    load=$!
    await at_work || fail "the load does not start: $(cat "$work/out" "$work/err")"
}

at_work() { # a second of it is printed
    grep -Eq '^ +1 ' "$work/out" || ! kill -0 "$load" 2>/dev/null
}

bench_end() { # [CODE]
    local code=0
    wait "$load" || code=$?
    load=
    [ "$code" = "${1:-0}" ] || fail "the load ended with $code: $(cat "$work/out" "$work/err")"
}

number() { # LABEL: of the summary
    sed -n "s/^$1: *\([0-9.e+-]*\)$/\1/p" "$work/out"
}

expect() { # LABEL OPERATOR VALUE
    awk "BEGIN { exit !($(number "$1") $2 $3) }" || fail "$1 is $(number "$1"): $(cat "$work/out" "$work/err")"
}

said() { # PATTERN
    grep -Eq -- "$1" "$work/err" || fail "nothing was said of '$1': $(cat "$work/err")"
}

again() { # OPTION...: the daemon once more, where it was
    "$signetd" --state "$work/state" --mon "${mon%/*}" --osd "${osd%/*}" --metrics 0 \
        --pool bench=1 --store-bytes 8G "$@" 2>>"$log" &
    pid=$!
}

gone() { # SIGNAL
    kill "-$1" "$pid"
    wait "$pid" 2>/dev/null || true
    pid=
}

# Ended, and killed: operations without an answer are sent again, by the same tid. One of two
# monitors is never there.
for signal in TERM KILL; do
    start --pool bench=1 --store-bytes 8G
    bench_begin 3 write -b 4096 --no-cleanup --conns 3 --threads 2 -m "v2:127.0.0.1:1,${mon%/*}"
    gone "$signal"
    sleep 0.3
    again
    bench_end
    said 'lost the connection to osd .* connecting again'
    said 'connected to osd .* again after'
    expect Reconnects '>=' 3 # to the OSD; the monitor may come back later
    expect 'Operations sent again' '>=' 1
    expect 'Total writes made' '>' 16
    stop
done

# Elsewhere: the monitor is found where it was, the OSD by a newer map.
start --pool bench=1 --store-bytes 8G
port=${osd%/*}
bench_begin 3 write -b 4096 --no-cleanup
gone KILL
osd=v2:127.0.0.1:0
again
bench_end
expect Reconnects '>=' 2
expect 'Newer maps' '>=' 1
[ "$(status osd)" != "$port" ] || fail "the OSD is where it was"
stop

# Tickets of two seconds, a run of five, another handler of the daemon;
# a connection that is lost at its end needs a fresh one.
start --pool bench=1 --store-bytes 8G --auth-ttl 4 --service-ttl 2
bench_begin 5 write -b 4096 --no-cleanup
sleep 1
ctl handler openssl >/dev/null || fail "no other handler"
sleep 1.5
gone TERM
again --auth-ttl 4 --service-ttl 2
bench_end
expect 'Ticket renewals' '>=' 2
expect Reconnects '>=' 2
said 'connected to osd'

# Nobody comes back.
bench_begin 30 write -b 4096 --timeout 1
gone KILL
before=$SECONDS
bench_end 1
[ $((SECONDS - before)) -le 5 ] || fail "it gave up after $((SECONDS - before)) s"
said 'the connection was lost, and no other came about in time: .*refused'
said 'raise --timeout'

# Comes up and goes down again at each try, as a message is larger than a worker's memory: it pauses
# longer and longer, and says in the end why.
start --pool bench=1 --threads 8 --max-input 16M
code=0
"$signet" bench 3 write -p bench -b 4M -t 4 --timeout 2 -m "${mon%/*}" -k "$work/state/keyring" \
    >"$work/out" 2>"$work/err" || code=$?
[ "$code" = 1 ] || fail "the load ended with $code: $(cat "$work/out" "$work/err")"
said 'was lost|is gone'
said 'closed the connection'
times=$(grep -c 'lost the connection' "$work/err")
[ "$times" -le 15 ] || fail "it dialled $times times"
