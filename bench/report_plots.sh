# shellcheck shell=bash
# The plots of the performance report; sourced by report.sh. Uses data.

data=${data:?}

has() { # NAME: was it ever measured?
    [ -s "$data/$1" ]
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

# curve TITLE: one curve of the plot that is being made, its points on standard input; none without points.
curve() {
    local points
    points=$(cat)
    [ -n "$points" ] || return 0
    # shellcheck disable=SC2016
    printf '$curve%d << end\n%s\nend\n' "${#curve_titles[@]}" "$points"
    curve_titles+=("$1")
}

draw_curves() {
    local i commands=()
    for i in "${!curve_titles[@]}"; do
        commands+=("\$curve$i using 1:2 with linespoints title \"${curve_titles[i]}\"")
    done
    local IFS=,
    echo "plot ${commands[*]}"
}

# curves NAME GROUP-PATTERN FIELD ROW...: gnuplot data blocks and the plot command over them.
curves() {
    local name=$1 group=$2 field=$3 row curve_titles=()
    shift 3
    for row in "$@"; do
        curve "$row" < <(pick "$name" "$group" "$row" "$field")
    done
    draw_curves
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

# histogram FILE TITLE YLABEL [SETTING...]: on standard input a line of titles, then lines of a label and
# values, all parted by tabs.
histogram() {
    local name=$1 title=$2 y=$3 lines
    shift 3
    lines=$(cat)
    {
        # shellcheck disable=SC2016
        echo '$bars << end'
        awk -F '\t' '{ for (i = 1; i <= NF; i++) printf(i == 1 || NR == 1 ? "\"%s\" " : "%s ", $i); print "" }' <<<"$lines"
        echo end
        # shellcheck disable=SC2016
        printf 'plot for [i=2:%d] $bars using i:xtic(1) title columnheader(i)\n' \
            "$(awk -F '\t' 'NR == 1 { print NF }' <<<"$lines")"
    } | plot "$name" "$title" "" "$y" 'set style data histogram' 'set style fill solid 0.8' 'set bmargin 8' \
        'set key autotitle columnhead' 'set xtics rotate by -30 font ",9"' 'set yrange [0:*]' "$@"
}

plot_envelopes() {
    curves seal_ticket '^seal [0-9]+ B, aes$' min_ns 'unfenced limit' 'limit' 'naive nss' 'cached nss' \
        'signet nss' 'naive openssl' 'cached openssl' 'signet openssl' 'signet ipsec-mb' |
        plot seal_aes 'Sealing an aes envelope' 'bytes of plaintext' 'ns' 'set logscale xy'
    curves seal_ticket '^seal [0-9]+ B, aes256k$' min_ns krb5 'signet nss' 'signet openssl' 'signet ipsec-mb' |
        plot seal_aes256k 'Sealing an aes256k envelope' 'bytes of plaintext' 'ns' 'set logscale xy'
    curves seal_ticket '^batch of [0-9]+ x 128 B, aes,' min_ns limit 'signet nss' 'signet openssl' 'signet ipsec-mb' |
        plot batch 'Sealing 128 bytes in batches' 'envelopes in a batch' 'ns per envelope' \
            'set logscale x 2' 'set yrange [0:*]'
}

plot_frames() {
    curves seal_frame '^build and seal' gb_per_s 'memcpy' 'signet crc' 'signet secure, nss' \
        'signet secure, openssl' 'signet secure, ipsec-mb' |
        plot frames 'Building and sealing a frame' 'bytes of data' 'GB/s' 'set logscale x' 'set logscale y'
}

# Writers side by side for each way of appending 8 KiB records.
plot_logs() {
    local handler
    for handler in openssl nss ipsec-mb; do
        grep -q "writers, $handler" "$data/log_records.tsv" || continue
        awk -F '\t' -v h=", $handler\$" '
            BEGIN { print "way\t1 writer\t2 writers\t8 writers" }
            /^log/ && $2 ~ "^8192 B" && $2 ~ h { if (!($3 in v)) way[++n] = $3; v[$3] = v[$3] "\t" $9 }
            END { for (i = 1; i <= n; i++) print way[i] v[way[i]] }' "$data/log_records.tsv" |
            histogram "log_$handler" "Appending records of 8 KiB, $handler" "GB/s" 'set yrange [*:*]' \
                'set logscale y'
    done
}

# Throughput over the number of writers; GB/s of the medians.
plot_one_conn() {
    local handler way to curve_titles
    for handler in openssl nss; do
        curve_titles=()
        {
            for to in dropped 'to a reader'; do
                for way in 'seal under a lock' 'reserve then seal'; do
                    curve "$way, $to" < <(awk -F '\t' -v group="64 KiB, $to, $handler" -v way="$way" '
                        $2 == group && index($3, way) { print $3 + 0, $4 / $6 }' "$data/one_conn.tsv")
                done
            done
            draw_curves
        } | plot "one_conn_$handler" "Messages of 64 KiB on one connection, $handler" writers GB/s \
            'set logscale x 2' 'set yrange [0:*]'
    done
}

plot_security() {
    awk -F '\t' '
        BEGIN { print "side\tcrc\tsecure\tbare GCM" }
        !/^#/ && $1 == "security" { if (!($2 in seen)) order[++n] = $2; seen[$2] = 1; v[$2, $3] = $6 }
        END { for (i = 1; i <= n; i++) { g = order[i]; sub(/ write of 4 KiB,/, "", g)
            print g "\t" v[order[i], "crc"] "\t" v[order[i], "secure"] "\t" v[order[i], "bare GCM"] } }' \
        "$data/security.tsv" |
        histogram security 'A write of 4 KiB and its answer, each side' 'ns'
}

plot_memory() {
    local handler curve_titles=()
    {
        for handler in nss openssl; do
            curve "$handler" < <(sed -nE \
                "s/^# ([0-9]+) idle connections, $handler\t([0-9]+) bytes each.*/\1 \2/p" "$data/scale.tsv")
        done
        curve "bar: 24 KiB" <<<$'1000 24576\n10000 24576'
        draw_curves
    } | plot scale 'Memory of signetd for each idle connection' 'idle connections' bytes 'set logscale xy'
}
