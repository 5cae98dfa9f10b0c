#!/bin/bash
# run.sh BUILD SECONDS: runs every fuzz target of BUILD for SECONDS, two at a time (more on a
# larger machine). Inputs that were found are kept in BUILD/findings; exit code 1 if there are any.
set -eu
build=$(readlink -f "$1")
seconds=$2
here=$(dirname "$(readlink -f "$0")")
mkdir -p "$build/findings" "$build/grown"

run_one() {
    local program=$1 name
    name=$(basename "$program" _fuzz)
    mkdir -p "$build/grown/$name"
    local corpus=("$build/grown/$name")
    [ ! -d "$here/corpus/$name" ] || corpus+=("$here/corpus/$name")
    if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "${corpus[@]}" \
        >"$build/findings/$name.log" 2>&1; then
        echo "ok   $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/findings/$name.log") inputs"
    else
        touch "$build/findings/$name.failed"
        echo "FAIL $name: see $build/findings/$name.log"
    fi
}
export -f run_one
export build seconds here

rm -f "$build"/findings/*
programs=("$build"/fuzz/*_fuzz)
[ -x "${programs[0]}" ] || { echo "no fuzz targets in $build/fuzz" >&2; exit 1; }
cores=$(nproc)
printf '%s\n' "${programs[@]}" |
    xargs -P "$((cores > 2 ? cores : 2))" -I{} bash -c 'run_one {}'
failed=$(find "$build/findings" -name '*.failed' | wc -l)
echo "${#programs[@]} targets, $seconds s each, $failed with findings"
find "$build/findings" -type f ! -name '*.log' ! -name '*.failed' | sed 's/^/finding: /'
[ "$failed" = 0 ]
