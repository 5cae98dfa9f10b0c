#!/bin/bash
# signetd_compact.sh SIGNET SIGNETD MON_CLIENT OBJECT_CLIENT KILLS WRITES [OPTION...]: the journal is written anew again and
# again, while objects are written over, and the daemon is killed at some moment of that. Each start finds every write that
# was answered.
# shellcheck disable=SC2119,SC2154 # functions may go without arguments; daemon.sh sets variables
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
objects=$4 kills=$5 writes=$6
options=("${@:7}")

run() {
    start --pool bench=1 --journal "$work/objects" --journal-keep 200K "${options[@]}"
}

client() { # WORD...
    "$objects" "${mon%/*}" "$keyring" "$osd" 1 "$@"
}

first=1 rewritten=0
: >"$work/answered"
run
for ((kill = 1; kill <= kills; kill++)); do
    client write "$first" "$pid" $((writes + RANDOM % writes)) churn >"$work/now" 2>/dev/null &&
        fail "the client does not notice that the daemon is gone"
    wait "$pid" 2>/dev/null || true
    [ -s "$work/now" ] || fail "no write was answered"
    cat "$work/now" >>"$work/answered"
    first=$(($(sort -n "$work/now" | tail -n 1) + 9))
    rewritten=$((rewritten + $(grep -c 'text="written anew' "$log" || true)))
    ! grep 'could not be written anew' "$log" || fail "the journal was not written anew"
    run
    client check $((first - 1)) <"$work/answered" 2>"$work/wrong" || fail "after kill $kill: $(cat "$work/wrong")"
done

# Nobody kills it: what remains is not much more than the objects.
"$signet" bench 1 write -m "${mon%/*}" -n client.admin -k "$keyring" -p bench -b 65536 >"$work/out" || fail "$(cat "$work/out")"
small() {
    [ "$(metric signet_journal_bytes)" -lt $(($(metric signet_object_memory_bytes) * 2 + 300000)) ]
}
await small || fail "the journal has $(metric signet_journal_bytes) bytes, its objects $(metric signet_object_memory_bytes)"
client check $((first - 1)) <"$work/answered" 2>"$work/wrong" || fail "$(cat "$work/wrong")"
rewritten=$((rewritten + $(metric signet_journal_rewrites_total)))
[ "$rewritten" -gt 0 ] || fail "the journal was never written anew"
stop
run
client check $((first - 1)) <"$work/answered" 2>"$work/wrong" || fail "$(cat "$work/wrong")"
stop
[ ! -e "$work/objects/journal.new" ] || fail "journal.new is left"
echo "killed $kills times, written anew $rewritten times: all of $(wc -l <"$work/answered") answered writes are there"
