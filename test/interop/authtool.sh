#!/bin/bash
# authtool.sh SIGNET: runs `SIGNET authtool` and the machine's ceph-authtool with the same arguments
# on the same files and compares exit codes, output and files. One line for each case that differs,
# the numbers last; exit code 1 if any does. Skipped without a ceph-authtool of Ceph 16.
set -u
SIGNET=$(readlink -f "${1:?usage: authtool.sh SIGNET}")
here=$(dirname "$(readlink -f "$0")")
kat=$here/../kat/keyring
command -v ceph-authtool >/dev/null || {
    echo "skipped: there is no ceph-authtool; install ceph-common"
    exit 0
}
ceph-authtool --version | grep -q ' version 16\.' || {
    echo "skipped: $(ceph-authtool --version) is not Ceph 16"
    exit 0
}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
PASSED=0 FAILED=0
umask 022

K1=AQAQBwpZAAAAABAAAQIDBAUGBwgJCgsMDQ4PEA==
K2=AQAAL2hZFc1bBxAA8PHy8/T19vf4+fr7/P3+/w==

files() { # what every case finds in its directory
    printf '[client.admin]\n\tkey = %s\n\tcaps mon = "allow *"\n[client.a]\n\tkey = %s\n' $K1 $K2 >k
    printf '[client.a]\nkey=%s\ncaps osd=x\n[osd.1]\nkey=%s\ncaps mon=a b\n' $K1 $K1 >imp
    printf '[client.a]\n\tfoo = x\n' >bad
    printf '[global]\nmon = "r w"\nfoo = x\nmgr =\n' >caps
    printf 'mon = "allow r"\n' >one
    printf 'mon = "allow r"\nosd = "allow rw"\n' >plain
    : >empty
    chmod 640 k
    ln -s target link
}

# What may differ: names of the programs, random keys, the usage that follows a wrong one, the names
# of functions in messages, what signet adds to a message, and keys that it does not show.
plain() {
    sed -E -e 's/^signet authtool:/ceph-authtool:/' -e '/^[Uu]sage:/,$d' \
        -e "s#can't open ([^:]*): (can't open [^:]*|bufferlist::read_file\(.*\): read error): ?#can't open \1: #" \
        -e '/^bufferlist::write_file/d' -e '/^parse error:/d' \
        -e 's/.*(could not parse caps file [^:]*).*/\1/' -e "s/^(can't decode key).*/\1/" \
        -e 's/(requires an argument).*/\1/' -e 's/ auth\(key=.*\)/ auth(key=...)/' \
        -e '/^(Try|With -C|--import-keyring copies|If it is|Expected|The first line|cannot write)/d' -e '/: (line|byte) [0-9]+: /d' "$1" | new_keys
}

# A key made now; the others have another time in them.
new_keys() {
    perl -pe 's#A[Qg](?!AQBwp|AAL2h|ABAAA|AAAAB)[A-Za-z0-9+/]{36,57}=+#NEW#g'
}

run() { # WHO PROGRAM...: fills WHO.out, .err and .state (exit code and all files)
    local who=$1 code=0
    shift
    rm -rf "${WORK:?}/$who"
    cp -a "$WORK/template" "$WORK/$who"
    cd "$WORK/$who" || exit 1
    "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || code=$?
    plain "$WORK/out" >"$WORK/$who.out"
    plain "$WORK/err" >"$WORK/$who.err"
    {
        echo "exit code $code"
        stat -c '%n %a %F' -- *
        tail -n +1 -- * 2>&1 | new_keys
    } >"$WORK/$who.state"
}

same() { # ARGUMENT...
    local what
    run theirs ceph-authtool "$@"
    run ours "$SIGNET" authtool "$@"
    for what in out err state; do
        if ! cmp -s "$WORK/theirs.$what" "$WORK/ours.$what"; then
            echo "FAIL authtool $*: $what"
            diff "$WORK/theirs.$what" "$WORK/ours.$what" | sed 's/^/     | /'
            FAILED=$((FAILED + 1))
            return
        fi
    done
    PASSED=$((PASSED + 1))
}

recorded() { # every file of test/kat/keyring but the deliberate differences (doc/keyring.md)
    local file
    for file in "$kat"/{valid,bad,more}/*.{keyring,bin}; do
        case $file in
        */24_utf8_name.* | */22_bom.* | */11_len32.* | */12_trailing_bytes.* | *'*'*) continue ;;
        */03_caps_double_backslash.*) continue ;;
        esac
        same "$file" -l
        same k --import-keyring "$file" -p -n client.a
    done
}

options() { # every two operations
    local i j operations
    operations=("-l" "-p" "-C" "-g" "-a $K2" "--cap mon x" "--caps caps" "--import-keyring imp"
        "-n client.a" "-n client.b")
    for ((i = 0; i < ${#operations[@]}; i++)); do
        # shellcheck disable=SC2086 # words on purpose
        same new -C ${operations[i]}
        for ((j = i; j < ${#operations[@]}; j++)); do
            # shellcheck disable=SC2086
            same k ${operations[j]} ${operations[i]}
        done
    done
}

usage() {
    same
    same -l
    same k
    same k --mode 0644
    same k k2 -l
    same k -u 5 -g
    same k -lg
    same k --list=1
    same k -nclient.a -p
    same k -n=client.a -p
    same k --name=client.a --print_key
    same k --id a -p
    same k --user=a --cluster x --conf=/dev/null -p
    same k -l -- -g rubbish
    same k -p -n bogus
    same k -p -n foo.bar
    same k -p -n ''
    for one in -n -a --name --add-key --cap --caps --import-keyring --mode --id -c; do
        same k "$one"
    done
    same k --cap mon
    same k --add-key=
    same k --caps= -l
    same k --import-keyring '' -l
    same k -g -a $K2
    same no -l
    same no -g
    same / -l
    same / -C
    same /no/where -C
    same bad -l
    same bad -g
    same bad -C -g
    same k --import-keyring bad
    same new -C --import-keyring no
    same --gen-print-key
    same --gen-print-key k -C -g -l
    same k -h -x
}

values() {
    local key name mode
    for key in '!!!' AAAA AAA "$K1====" "$K1 x" "${K1}AAAA" BwABAAAAAAAAABAAAAECAwQFBgcICQoLDA0ODw== \
        AQABAAAAAAAAAA8AAQIDBAUGBwgJCgsMDQ4P AAAAAAAAAAAAABAAAAECAwQFBgcICQoLDA0ODw== CQAQBwpZAAAAAAAA \
        =QAQBwpZAAAAABAAAQIDBAUGBwgJCgsMDQ4PEA== AQAQBwpZAAAAABAA__79_Pv6-fj39vX08_LxAA==; do
        same k -a "$key" -n client.z -p
    done
    for name in mon. client.a.b 'client.*' 'client.a b' 'client. a ' 'client.a[b' 'client."a"' auth.x; do
        same k -g -n "$name" -l
    done
    for mode in 0 600 0644 666 7777 +644 ' 644' 644x 9 '' -1 0x1ff 10600; do
        same new -C --mode "$mode"
        same k -C --mode "$mode" -g
    done
    same link -C -a $K1
    same k -n client.a --cap mon 'allow "r"' --cap osd '' --cap mon z
    same k -n client.a --cap 'mon osd' ' x '
    same k -n client.a --caps empty
    same k -n client.a --caps one
    same k -n client.a --caps plain
    same k -n client.b --caps caps -a $K1
    same k -n client.b --caps caps -a $K1 --cap x y -l -p
}

mkdir "$WORK/template"
(cd "$WORK/template" && files)
recorded
options
usage
values
echo "$PASSED passed, $FAILED failed"
[ "$FAILED" = 0 ]
