#!/bin/bash
# signetd_journal.sh SIGNET SIGNETD MON_CLIENT OBJECT_CLIENT KILLS [OPTION...]: kills a daemon that has a journal again and
# again under load. Each start finds every write that was answered, and no part of one; then what
# happens to a journal that was damaged, and to its key.
# shellcheck disable=SC2119,SC2154 # functions may go without arguments; daemon.sh sets variables
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"
objects=$4 kills=$5
options=("${@:6}")
journal=$work/objects/journal

run() {
    start --pool bench=1 --journal "$work/objects" --ms-mode prefer-secure "${options[@]}" "$@"
}

client() { # WORD...
    "$objects" "${mon%/*}" "$keyring" "$osd" 1 "$@"
}

check() { # LAST
    client check "$1" <"$work/answered" 2>"$work/wrong" || fail "after kill $kill: $(cat "$work/wrong")"
}

first=1 kill=0
: >"$work/answered"
run
! grep 'a new one begins' "$log" || fail "the first journal is told as another one"
for ((kill = 1; kill <= kills; kill++)); do
    client write "$first" "$pid" $((1 + RANDOM % 300)) >"$work/now" 2>/dev/null &&
        fail "the client does not notice that the daemon is gone"
    wait "$pid" 2>/dev/null || true
    [ -s "$work/now" ] || fail "no write was answered"
    cat "$work/now" >>"$work/answered"
    # What was under way may be there too: eight behind the first that was not answered.
    first=$(($(sort -n "$work/now" | tail -n 1) + 9))
    run
    logged event=journal || fail "no word of the journal"
    if ((kill % 10 == 0 || kill == kills)); then
        check $((first - 1))
    fi
done
stop
echo "killed $kills times: all of $(wc -l <"$work/answered") writes that were answered are there"

# An end in order, and what it says.
run
check $((first - 1))
stop
[ "$(stat -c %a "$journal" "$work/state/journal.key" | sort -u)" = 600 ] || fail "modes"
! grep -qa 'nobody sees this' "$journal" || fail "the journal is not sealed"

refuses() { # TEXT
    local code=0
    : >"$log"
    "$signetd" --state "$work/state" --mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics none --pool bench=1 \
        --journal "$work/objects" 2>>"$log" || code=$?
    [ "$code" = 1 ] || fail "the daemon ended with $code, not 1"
    logged "$1" || fail "it does not say '$1'"
}

# A directory that others may change.
! grep 'others may remove' "$log" || fail "a directory of its own is told as one of others"
chmod 770 "$work/objects"
run
logged "$work/objects has mode 0770: others may remove or replace the journal" || fail "no word of others"
stop
chmod 700 "$work/objects"
if [ "$(id -u)" = 0 ]; then
    chown 65534 "$work/objects"
    run
    logged 'belongs to user 65534' || fail "no word of the owner"
    stop
    chown 0 "$work/objects"
fi

# A journal that was there before, and is not used.
start --pool bench=1
logged 'is not used without --journal' || fail "no word of the journal that was left out"
stop
start --pool bench=1 --journal "$work/elsewhere"
logged "$work/elsewhere had no journal, and a new one begins" || fail "no word of the other directory"
stop
start --pool bench=1 --journal "$work/elsewhere"
! grep 'a new one begins' "$log" || fail "the journal is there, and is told as missing"
stop

# Torn: cut, with a word. Damaged: refused at its place, and left alone.
cp "$journal" "$work/whole"
head -c -5 "$work/whole" >"$journal"
run
grep -q 'event=journal.*cut=[1-9]' "$log" || fail "no word of what was cut"
stop
cp "$work/whole" "$journal"
at=$(($(stat -c %s "$journal") / 2))
printf 'x' | dd of="$journal" bs=1 seek="$at" conv=notrunc 2>/dev/null
cp "$journal" "$work/damaged"
refuses 'cannot use the journal'
offset=$(sed -n 's/.*at byte \([0-9]*\):.*/\1/p' "$log")
((offset <= at && offset > at - 4000)) || fail "damage at $at is told as $offset"
cmp -s "$journal" "$work/damaged" || fail "a damaged journal was changed"
cp "$work/whole" "$journal"
mv "$work/state/journal.key" "$work/key"
refuses 'journal.key is missing'
head -c 32 /dev/zero >"$work/state/journal.key"
refuses 'may be read by others'
chmod 600 "$work/state/journal.key"
refuses 'was damaged or changed'
cp "$work/key" "$work/state/journal.key"
run --journal-sync
check $((first - 1))
stop
