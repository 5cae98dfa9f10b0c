#!/bin/bash
# report_test.sh REPORT DOC PROGRAMS: a page is made of the values of DOC in a copy of it, one part is measured
# anew, and what is wrong is refused. Parts that were never measured are said to be so.
set -eu
report=$1 doc=$2 programs=$3
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

page_has() {
    grep -q -- "$1" "$copy/performance.md" || fail "no '$1' in the page"
}

refused() { # TEXT COMMAND...
    local text=$1 code=0
    shift
    "$@" 2>"$copy/said" || code=$?
    [ "$code" = 2 ] || fail "exit code $code instead of 2: $text"
    grep -q "$text" "$copy/said" || fail "it did not say '$text'"
}

REUSE=1 refused 'nothing was ever measured' "$report" "$programs" "$copy"

cp "$doc"/performance/*.tsv "$copy/performance"
rm -f "$copy/performance/rados.tsv"
printf '# about\tcpu: none, load: 0.5\n' >"$copy/performance/rados.tsv"
for server in ceph signetd-nss; do
    for phase in write seq rand; do
        printf '1\trados\t%s\tsecure\t-\t%s\t%d\t1\t-\t40\t%d\n' "$server" "$phase" \
            $((${#server} * 1000)) $((200 - 15 * ${#server})) >>"$copy/performance/rados.tsv"
    done
done
REUSE=1 "$report" "$programs" "$copy" 2>"$copy/said" || fail "$(cat "$copy/said")"
page_has '^## Envelopes'
page_has '^| met | rados: IOPS of rados bench on signetd to ceph-osd, nss, write | | 2.750 | >= 2.5 |'
page_has '^| \*\*missed\*\* | rados: CPU/op of signetd to ceph-osd, nss, write | | 0.250 | <= 0.12 |'
page_has '^| rados bench | signetd-nss | secure | - | 11000 |'

rm "$copy/performance/switch.tsv" "$copy/performance/rados.tsv"
"$report" "$programs" "$copy" --only sign --quick 2>"$copy/said" || fail "$(cat "$copy/said")"
grep -q 'measuring sign' "$copy/said" || fail "it did not measure"
cmp -s "$doc/performance/sign.tsv" "$copy/performance/sign.tsv" && fail "it kept the old values"
cmp -s "$doc/performance/aes_small.tsv" "$copy/performance/aes_small.tsv" || fail "it changed others"
page_has '^Not measured. It needs Ceph'

refused 'no part sing' "$report" "$programs" "$copy" --only sing
refused 'no option --all' "$report" "$programs" "$copy" --all
