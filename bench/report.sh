#!/bin/bash
# report.sh PROGRAMS DOC: runs all benches of the folder PROGRAMS once and writes DOC/performance.md,
# the plots that it shows and the measured values (DOC/performance/). With REUSE=1 it writes the page
# anew from the values that are there.
set -euo pipefail
programs=$1 doc=$2
data=$doc/performance
here=$(dirname "$(readlink -f "$0")")
benches=(seal_ticket aes_small sign seal_frame threads switch many_keys log_records big_payload)

measure() {
    local name
    mkdir -p "$data"
    for name in "${benches[@]}"; do
        echo "measuring $name" >&2
        "$programs/bench_$name" --format tsv >"$data/$name.tsv"
    done
    if command -v valgrind >/dev/null; then
        echo "counting instructions" >&2
        local handlers=(openssl nss)
        ! grep -q "^# handler ipsec-mb\t[^r]" "$data/many_keys.tsv" || handlers+=(ipsec-mb)
        "$here/instructions.sh" "${handlers[@]}" >"$data/instructions.txt" ||
            echo "more keys take more instructions" >>"$data/instructions.txt"
    fi
}

# fact NAME: from the first run.
fact() {
    sed -n "s/^# $1\t//p" "$data/seal_ticket.tsv" | head -1
}

# pick NAME GROUP-PATTERN ROW FIELD: "number value" for each group that matches; the number is the first
# one in its name.
pick() {
    awk -F '\t' -v group="$2" -v row="$3" -v field="$4" '
        NR == FNR && /^bench\t/ { for (i = 1; i <= NF; i++) at[$i] = i }
        !/^#/ && $2 ~ group && $3 == row {
            match($2, /[0-9]+/)
            print substr($2, RSTART, RLENGTH), $at[field]
        }' "$data/$1.tsv"
}

# curves NAME GROUP-PATTERN FIELD ROW...: gnuplot data blocks and the plot command over them.
curves() {
    local name=$1 group=$2 field=$3 row i=0 plots=()
    shift 3
    for row in "$@"; do
        local points
        points=$(pick "$name" "$group" "$row" "$field")
        [ -n "$points" ] || continue
        # shellcheck disable=SC2016
        printf '$row%d << end\n%s\nend\n' $i "$points"
        plots+=("\$row$i using 1:2 with linespoints title \"$row\"")
        i=$((i + 1))
    done
    local IFS=,
    echo "plot ${plots[*]}"
}

# plot FILE TITLE XLABEL YLABEL [SETTING...], the curves on standard input.
plot() {
    local name=$1 title=$2 x=$3 y=$4
    local file=$data/$name.svg
    shift 4
    {
        echo 'set terminal svg size 760,420 font "sans,12" background "white"'
        printf 'set output "%s"\nset title "%s"\nset xlabel "%s"\nset ylabel "%s"\n' "$file" "$title" "$x" "$y"
        echo 'set grid; set key outside right'
        printf '%s\n' "$@"
        cat
    } | gnuplot
    printf '![%s](performance/%s.svg)\n\n' "$title" "$name"
}

plots() {
    curves seal_ticket '^seal [0-9]+ B, aes$' min_ns 'unfenced limit' 'limit' 'naive nss' 'cached nss' \
        'signet nss' 'naive openssl' 'cached openssl' 'signet openssl' 'signet ipsec-mb' |
        plot seal_aes 'Sealing an aes envelope' 'bytes of plaintext' 'ns' 'set logscale xy'
    curves seal_ticket '^seal [0-9]+ B, aes256k$' min_ns krb5 'signet nss' 'signet openssl' 'signet ipsec-mb' |
        plot seal_aes256k 'Sealing an aes256k envelope' 'bytes of plaintext' 'ns' 'set logscale xy'
    curves seal_ticket '^batch of [0-9]+ x 128 B, aes,' min_ns limit 'signet nss' 'signet openssl' 'signet ipsec-mb' |
        plot batch 'Sealing 128 bytes in batches' 'envelopes in a batch' 'ns per envelope' \
            'set logscale x 2' 'set yrange [0:*]'
    curves seal_frame '^build and seal' gb_per_s 'memcpy' 'signet crc' 'signet secure, nss' \
        'signet secure, openssl' 'signet secure, ipsec-mb' |
        plot frames 'Building and sealing a frame' 'bytes of data' 'GB/s' 'set logscale x' 'set logscale y'
    local handler
    for handler in openssl nss ipsec-mb; do
        grep -q "writers, $handler" "$data/log_records.tsv" || continue
        awk -F '\t' -v h=", $handler\$" '/^log/ && $2 ~ "^8192 B" && $2 ~ h' "$data/log_records.tsv" >"$data/.log"
        bars_of_log "$handler"
        rm "$data/.log"
    done
}

# Writers side by side for each way of appending 8 KiB records.
bars_of_log() {
    {
        # shellcheck disable=SC2016
        echo '$log << end'
        echo "way 1 2 8"
        awk -F '\t' '{ if (!($3 in v)) way[++n] = $3; v[$3] = v[$3] " " $9 }
            END { for (i = 1; i <= n; i++) printf "\"%s\"%s\n", way[i], v[way[i]] }' "$data/.log"
        echo end
        # shellcheck disable=SC2016
        echo 'plot for [i=2:4] $log using i:xtic(1) title (i == 2 ? "1 writer" : columnheader(i)." writers")'
    } | plot "log_$1" "Appending records of 8 KiB, $1" "" "GB/s" \
        'set style data histogram' 'set style fill solid 0.8' 'set xtics rotate by -30 font ",9"' \
        'set logscale y' 'set key autotitle columnhead'
}

bars() {
    echo '| | what | row | measured | bar |'
    echo '|---|---|---|---|---|'
    local name
    for name in "${benches[@]}"; do
        awk -F '\t' -v b="$name" '/^# bar\t/ {
            print "| " ($2 == "met" ? "met" : "**missed**") " | " b ": " $3 " | " $4 " | " $5 " | " $6 " |" }' "$data/$name.tsv"
    done
    echo
    awk -F '\t' '/^# rows without/ { n += $2 } END { print n " rows of the library allocate nothing." }' \
        "$data"/*.tsv
}

# table NAME GROUP-PATTERN: the rows of these groups.
table() {
    echo "| $1 | row | min ns | median ns | GB/s | allocations |"
    echo '|---|---|---|---|---|---|'
    awk -F '\t' -v group="$2" '!/^#/ && !/^bench\t/ && $2 ~ group {
        printf("| %s | %s | %.1f | %.1f | %s | %g |\n", ($2 == last ? "" : $2), $3, $5, $6,
               ($9 > 0 ? sprintf("%.2f", $9) : ""), $10)
        last = $2 }' "$data/$1.tsv"
    echo
}

facts_of() {
    sed -n "s/^# \($2[^\t]*\)\t/- \1: /p" "$data/$1.tsv"
    echo
}

page() {
    cat <<TEXT
# Performance

Measured on one machine in one run by \`./dev bench report\`: $(fact cpu), $(fact cores) cores, $(fact system), load $(fact "load at start") at the
start; OpenSSL $(fact openssl), NSS $(fact nss), gcc $(fact compiler), MIT krb5 $(fact krb5). Figures differ from machine to machine and with what else runs there;
ratios differ less. Minima of interleaved rounds unless said. All values: \`performance/*.tsv\`.

Rows that are no signet: *limit* is a loop of the bare AES instructions, *naive* makes everything anew in each call, *cached* keeps the key and makes a context,
*bare* calls the library's innermost functions on a kept context. \`bench_NAME\` says more.

## Bars

$(bars)

TEXT
    cat "$here/report-notes.md"
    printf '\n## Envelopes\n\n'
    plots_of_page
}

plots_of_page() {
    plots >"$data/.plots"
    sed -n '1,6p' "$data/.plots"
    table seal_ticket '128 B, aes$'
    table seal_ticket '128 B, aes256k$'
    printf '## Frames and messages\n\n'
    sed -n '7,8p' "$data/.plots"
    table aes_small '^gcm'
    table sign .
    printf '## Logs\n\n'
    sed -n '9,$p' "$data/.plots"
    printf '## Large payloads\n\n'
    table big_payload '^open'
    printf '## Many keys, many threads, switching\n\n'
    facts_of many_keys bytes
    [ ! -e "$data/instructions.txt" ] || sed 's/^/- /;$s/$/\n/' "$data/instructions.txt"
    table many_keys .
    table switch .
    echo 'Two threads on one key, by medians and at worst, as many times as fast as one; what two processes reach that share nothing says what the machine gives:'
    echo
    scaling
    rm "$data/.plots"
}

scaling() {
    echo '| operation | 2 threads | at worst | 2 processes | at worst |'
    echo '|---|---|---|---|---|'
    awk -F '\t' '/^threads\t/ && $3 == "2 processes" { p = sprintf("%.2f | %.2f", $13, $14) }
        /^threads\t/ && $3 == "2 threads" { printf "| %s | %.2f | %.2f | %s |\n", $2, $13, $14, p }' "$data/threads.tsv"
}

[ "${REUSE:-0}" = 1 ] || measure
command -v gnuplot >/dev/null || {
    echo "report: gnuplot is missing" >&2
    exit 1
}
page >"$doc/performance.md"
echo "$doc/performance.md" >&2
