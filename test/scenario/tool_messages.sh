#!/bin/bash
# tool_messages.sh SIGNET: what the command says of wrong options and missing files: what is wrong,
# what was expected, what to do.
set -eu
signet=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# Runs a command that must end with that code and have the words on stderr.
refuse() { # CODE WORDS ARG...
    local code=0 want=$1 words=$2
    shift 2
    timeout 20 "$signet" "$@" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$want" ] || fail "$*: exit code $code, not $want: $(cat "$work/err")"
    grep -qF -- "$words" "$work/err" || fail "$*: does not say '$words' but: $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "$*: wrote to stdout"
}

# Wrong usage: one line, and where to find help.
usage() { # WORDS ARG...
    refuse 2 "$@"
    [ "$(wc -l <"$work/err")" = 2 ] || fail "$2: more than one line: $(cat "$work/err")"
}

usage "--name: 'admin' is not TYPE.ID, such as client.admin" ping -m h -n admin
usage "--ms-mode: 'both' is not crc, secure, prefer-crc or prefer-secure" ping -m h --ms-mode both
usage "--auth: 'gss' is not cephx or none" ping -m h --auth gss
usage "--auth none goes with --ms-mode crc only" ping -m h --auth none
usage "--auth none goes with --ms-mode crc only" ping -m h --auth none --ms-mode prefer-crc
usage "--auth none goes with --ms-mode crc only" bench 1 write -m h --auth none
usage "--max-objects: '0' is not a number from 1 to 4294967295" bench 1 write -m h --max-objects 0
usage "--timeout: '0' is not a number of seconds above 0" ping -m h --timeout 0
usage "--interval: 'x' is not a number of seconds" ping -m h -i x
usage "--count: 'many' is not a number from 0 to 100000" ping -m h --count many
usage "-c: '-3' is not a count from 0 to 100000, nor the name of a ceph.conf" ping -m h -c -3
usage "--format: 'xml' is not text or json" ping -m h --format xml
usage "there is no option '--bogus'" ping -m h --bogus
usage "there is no option '-x'" ping -m h -x
usage "the option '--name' lacks its value" ping -m h --name
usage "--block-size: '64M' is not 1 to 32M" bench 1 write -m h -b 64M
usage "--concurrent-ios: '0' is not a number from 1 to 65536" bench 1 write -m h -t 0
usage "--conns: 'x' is not a number from 1 to 16384" bench 1 write -m h --conns x
usage "--threads: '257' is not a number from 1 to 256" bench 1 write -m h --threads 257
usage "--run-name: '' is not a name of 1 to 511 bytes" bench 1 write -m h --run-name ''
usage "--pool: '' is not the name of a pool" bench 1 write -m h -p ''
usage "--no-cleanup takes no value" bench 1 write -m h --no-cleanup=yes
usage "--name: 'admin' is not TYPE.ID" bench 1 write -m h -n admin
usage "SECONDS: 'ten' is not a number from 1 to 1000000" bench ten write -m h
usage "--format: 'xml' is not text or json" handlers --format xml
usage "there is no option '--all'" handlers --all
usage "--format: 'xml' is not text or json" decode --format xml
usage "the option '-k' lacks its value" decode -k

# Nothing of it steers a terminal.
usage "SECONDS: '\\x1b[2J\\x0aé' is not a number" bench $'\e[2J\né' write
refuse 2 "there is no command '\\x1b[2J'" $'\e[2J'
refuse 1 "cannot use the configuration: " ping -C "$work/"$'\e[2J'
! grep -q $'\e' "$work/err" || fail "an escape sequence: $(cat -v "$work/err")"

# What is not there, and what to do.
refuse 1 "next step:    is the path right? Or give monitors with -m" ping -C "$work/none"
refuse 1 "next step:    is the path right? A keyring will do" decode -k "$work/none" a b
refuse 1 "cannot use the keyring $work/none: cannot open" ping -m 127.0.0.1:1 -k "$work/none"
printf '[global]\nkeyring = %s/a,%s/b\n' "$work" "$work" >"$work/conf"
refuse 1 "$work/conf has no mon_host" ping -C "$work/conf"
refuse 1 "no keyring found; tried $work/a, $work/b" ping -C "$work/conf" -m 127.0.0.1:1
echo "messages: ok"
