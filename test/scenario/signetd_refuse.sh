#!/bin/bash
# signetd_refuse.sh SIGNET SIGNETD MON_CLIENT: what signetd does not start with, and what it says.
# shellcheck disable=SC2119 # functions may go without arguments
set -eu
# shellcheck source=daemon.sh
. "$(dirname "$(readlink -f "$0")")/daemon.sh"

# Runs a daemon that must end by itself with that code and words on stderr.
refuse() { # CODE WORDS OPTION...
    local code=0 want=$1 words=$2
    shift 2
    timeout 20 "$signetd" "$@" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$want" ] || fail "$*: exit code $code, not $want: $(cat "$work/err")"
    grep -qF -- "$words" "$work/err" || fail "$*: does not say '$words' but: $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "$*: wrote to stdout"
}

where() { # ADDR: its IP:PORT
    local at=${1#v2:}
    echo "${at%/*}"
}

any=(--mon v2:127.0.0.1:0 --osd v2:127.0.0.1:0 --metrics none)

# Wrong usage: 2, before anything is touched.
refuse 2 "say where the state is kept: --state DIR"
refuse 2 "Try 'signetd --help'" --state "$work/no" --nonsense
refuse 2 "there is no option '--nonsense'" --state "$work/no" --nonsense
refuse 2 "the option '--threads' lacks its value" --state "$work/no" --threads
refuse 2 "--mon: '0.0.0.0:3300' is not v2:IP[:PORT]" --state "$work/no" --mon 0.0.0.0:3300
refuse 2 "--auth: 'gss' is not cephx or none" --state "$work/no" --auth gss
refuse 2 "auth none works in crc mode only" --state "$work/no" --auth none
refuse 2 "auth none works in crc mode only" --state "$work/no" --auth none --ms-mode prefer-crc
refuse 2 "there are no arguments, but 'start' was given" --state "$work/no" start
printf 'state = %s\nthreads = many\n' "$work/no" >"$work/conf"
refuse 2 "$work/conf:2: threads: 'many' is not a number from 1 to 256" --config "$work/conf"
refuse 2 "cannot read the configuration $work/none: No such file" --config "$work/none"
[ ! -e "$work/no" ] || fail "wrong usage made a state directory"
refuse 2 "say which daemon: --state DIR or --ctl PATH" ctl status
refuse 2 "there is no option '--stats'" ctl --stats "$work/no" status
refuse 2 "there is no option '-x'" ctl -x status
refuse 2 "the option '--state' lacks its value" ctl --state
refuse 2 "options are --state DIR" ctl --nonsense
refuse 1 "at most 107 bytes" ctl --ctl "$work/$(printf '%0150d' 0)" status
refuse 2 "say what to do" ctl --state "$work/no"
# Nothing of it steers a terminal.
refuse 2 "--auth: '\\x1b[2J' is not cephx or none" --state "$work/no" --auth $'\e[2J'
refuse 2 "there is no option '--\\x1b[2J'" ctl $'--\e[2J'
refuse 1 "no daemon answers at $work/\\x1b[2J/ctl" ctl --state "$work/"$'\e[2J' status
refuse 1 "no daemon answers at $work/no/ctl" ctl --state "$work/no" status

# A second daemon on the same directory; a port that is taken.
start
refuse 1 "another signetd, process $pid, uses the state directory" --state "$work/state" "${any[@]}"
refuse 1 "cannot listen at ${mon%/*}" --state "$work/two" "${any[@]}" --mon "${mon%/*}"
refuse 1 "take another port with --mon" --state "$work/two" "${any[@]}" --mon "${mon%/*}"
refuse 1 "take another port with --osd" --state "$work/two" "${any[@]}" --osd "${osd%/*}"
refuse 1 "cannot serve metrics at $metrics: Address already in use" --state "$work/two" "${any[@]}" \
    --metrics "$metrics"
all=(--mon "${mon%/*}" --osd "${osd%/*}")
refuse 1 "cannot listen: other programs do at $(where "$mon") (mon), $(where "$osd") (osd), $metrics (metrics)" \
    --state "$work/two" "${all[@]}" --metrics "$metrics"
refuse 1 "is another signetd running?" --state "$work/two" "${all[@]}" --metrics "$metrics"
refuse 1 "other programs do at $(where "$mon") (mon), $(where "$osd") (osd)" --state "$work/two" "${all[@]}" \
    --metrics 0
refuse 1 "another daemon listens at $work/state/ctl" --state "$work/two" "${any[@]}" \
    --ctl "$work/state/ctl"
ping >"$work/out" || fail "the first one was harmed"
port=${mon##*:}
exec 4<>"/dev/tcp/127.0.0.1/${port%/*}"
printf 'ceph v027' >&4
await logged "a msgr1 client: give it the v2: address" || fail "no word of msgr1"
exec 4<&-
stop

# The state: damaged, open to others, of another cluster, in pieces.
keys=$work/state/keys
cp "$keys" "$work/keys"
printf 'x' >>"$keys"
refuse 1 "cannot use the state file $keys: line 2: expected the crc" --state "$work/state" "${any[@]}"
refuse 1 "keys.old beside it is the state before" --state "$work/state" "${any[@]}"
[ "$(grep -o 'the state before' "$work/err" | wc -l)" = 1 ] || fail "the hint is there twice"
sed 's/^crc .*/crc -/; s/^max .*/max nobody/' "$work/keys" >"$keys"
refuse 1 'line 4: expected \"max SERVICE NUMBER\"' --state "$work/state" "${any[@]}"
cp "$work/keys" "$keys"
chmod 644 "$keys"
refuse 1 "chmod 600 it" --state "$work/state" "${any[@]}"
chmod 600 "$keys"
refuse 1 "is the state of cluster" --state "$work/state" "${any[@]}" \
    --fsid 2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e
mv "$keys" "$work/away"
refuse 1 "keys is missing: the keys of this cluster" --state "$work/state" "${any[@]}"
mv "$work/away" "$keys"
chmod 777 "$work/state"
refuse 1 "could be changed by others" --state "$work/state" "${any[@]}"
chmod 700 "$work/state"
start # and whole again
ping >"$work/out" || fail "the state was harmed"
stop

# The keyring of the first start.
echo nonsense >"$work/ring"
refuse 1 "cannot read the keyring $work/ring" --state "$work/three" "${any[@]}" --keyring "$work/ring"
[ "$(cat "$work/ring")" = nonsense ] || fail "a file that is no keyring was changed"
"$signet" authtool -C "$work/ring" --gen-key --key-type aes -n client.old >/dev/null
refuse 1 "allow them with --allowed-ciphers aes,aes256k" --state "$work/three" "${any[@]}" \
    --keyring "$work/ring"
: >"$work/ring"
refuse 1 "has no entity" --state "$work/three" "${any[@]}" --keyring "$work/ring"
refuse 1 "cannot make the state directory" --state "$work/a/b" "${any[@]}"
refuse 1 "make its parent directory first" --state "$work/a/b" "${any[@]}"
refuse 1 "name a directory with --state" --state "$work/ring" "${any[@]}"
refuse 1 "its directory must be there" --state "$work/four" "${any[@]}" --keyring "$work/a/ring"
refuse 1 "cannot use the journal in $work/a/j: cannot make the directory" --state "$work/five" \
    "${any[@]}" --journal "$work/a/j"
(ulimit -n 40 && refuse 1 "Too many open files" --state "$work/six" "${any[@]}" --threads 100)
grep -qF "raise the limit of open files" "$work/err" || fail "no next step: $(cat "$work/err")"
if [ "$(id -u)" = 0 ]; then
    mkdir -m 700 "$work/theirs" && chown 65534 "$work/theirs"
    refuse 1 "belongs to user 65534, and you are 0" --state "$work/theirs" "${any[@]}"
fi
echo "refusals: ok"
