#!/bin/bash
# report.sh PROGRAMS DOC [--only PART[,PART...]] [--quick]: measures all parts, or those that are named, with
# the programs of the folder PROGRAMS, and writes DOC/performance.md, the plots that it shows and the measured
# values (DOC/performance/). Parts that are not measured now are shown as they were measured before.
# --quick: short runs, which show only that all works. REUSE=1: measures nothing, writes the page anew.
set -euo pipefail
programs=$1 doc=$2
shift 2
data=$doc/performance
here=$(dirname "$(readlink -f "$0")")
benches=(seal_ticket aes_small sign seal_frame threads switch many_keys log_records big_payload one_conn
    security scale)
parts=("${benches[@]}" instructions profile rados)
# shellcheck source=report_plots.sh
. "$here/report_plots.sh"
# shellcheck source=report_page.sh
. "$here/report_page.sh"
# shellcheck source=report_rados.sh
. "$here/report_rados.sh"

die() {
    echo "report: $*" >&2
    exit 2
}

say() {
    echo "report: $*" >&2
}

# --- measuring ------------------------------------------------------------------------------------

# keep PART FILE COMMAND...: what it prints becomes the file, unless it fails.
keep() {
    local part=$1 file=$2
    shift 2
    if "$@" >"$file.new"; then
        mv "$file.new" "$file"
    else
        rm -f "$file.new"
        say "$part failed: shown as it was measured before, if ever"
        failed+=("$part")
    fi
}

count_instructions() {
    local handlers=(openssl nss)
    ! grep -qs "^# handler ipsec-mb	[^r]" "$data/many_keys.tsv" || handlers+=(ipsec-mb)
    "$here/instructions.sh" "${handlers[@]}" || echo "more keys take more instructions"
}

measure() { # PART
    local options=(--format tsv)
    [ -z "$quick" ] || options+=(--quick --rounds 1)
    say "measuring $1"
    case $1 in
    instructions)
        if command -v valgrind >/dev/null; then
            keep "$1" "$data/instructions.txt" count_instructions
        else
            say "valgrind is missing: instructions are not counted"
        fi
        ;;
    profile)
        if command -v perf >/dev/null || command -v valgrind >/dev/null; then
            keep "$1" "$data/profile.md" "$here/profile.sh" "$programs"
        else
            say "neither perf nor valgrind is here: there is no profile"
        fi
        ;;
    rados) measure_rados ;;
    *) keep "$1" "$data/$1.tsv" "$programs/bench_$1" "${options[@]}" ;;
    esac
}

# --- what is asked --------------------------------------------------------------------------------

wanted=("${parts[@]}") quick='' failed=()
while [ $# -gt 0 ]; do
    case $1 in
    --only)
        [ $# -ge 2 ] || die "--only wants parts: ${parts[*]}"
        IFS=, read -ra wanted <<<"$2"
        shift 2
        ;;
    --quick) quick=1 && shift ;;
    *) die "no option $1; there are --only and --quick" ;;
    esac
done
[ "${REUSE:-0}" != 1 ] || wanted=()
for part in "${wanted[@]}"; do
    [[ " ${parts[*]} " == *" $part "* ]] || die "no part $part; there are: ${parts[*]}"
done
command -v gnuplot >/dev/null || die "gnuplot is missing"
mkdir -p "$data"
for part in "${wanted[@]}"; do
    measure "$part"
done
page >"$doc/performance.md.new"
mv "$doc/performance.md.new" "$doc/performance.md"
echo "$doc/performance.md" >&2
[ ${#failed[@]} = 0 ] || die "these parts failed: ${failed[*]}"
