# shellcheck shell=bash
# The table of rados bench in the performance report; sourced by report.sh. Uses programs, data, here, quick.

here=${here:?} data=${data:?}

# The figures, and before them what rados.sh says about the run.
measured_rados() {
    local options=(--tsv "$data/.rados")
    [ -z "${quick:-}" ] || options+=(--seconds 1 --rounds 1)
    rm -f "$data/.rados"
    # Single runs that failed are stated; the other figures hold.
    "$here/rados.sh" "${programs:?}" "${options[@]}" >"$data/.said" || [ -s "$data/.rados" ] || return
    sed '/^$/,$d;s/^/# about\t/' "$data/.said"
    sed -n 's/^failed: /# about\tfailed: /p' "$data/.said"
    cat "$data/.rados"
}

measure_rados() {
    if ! command -v ceph-osd >/dev/null || ! command -v rados >/dev/null; then
        say "Ceph is not installed (./dev interop 16 fetches it): no table of rados bench"
        return
    fi
    keep rados "$data/rados.tsv" measured_rados
    rm -f "$data/.rados" "$data/.said"
}

summary() {
    grep -v '^#' "$data/rados.tsv" | awk -F '\t' -f "$here/median.awk" -f "$here/rados.awk"
}

# phase, client, server, mode, handler, IOPS, mean ms, p99 ms, CPU of client, of server: medians.
rados_rows() {
    summary | awk -v OFS='\t' '
        /^(write|seq|rand) / { phase = $1; next }
        /^ratios/ { phase = "" }
        NF == 9 && phase { $1 = $1; print phase, $0 }'
}

# status, what, times, bar: of the ratios that have one.
rados_bars() {
    has rados.tsv || return 0
    summary | sed -nE 's/^  (.*[^ ]) +([0-9.]+)x  \(bar: (.*)\)$/\1\t\2\t\3/p' | awk -F '\t' -v OFS='\t' '
        $3 == "none" { next }
        { split($3, bar, " "); status = "" }
        bar[1] == ">=" { status = $2 >= bar[2] + 0 ? "met" : "**missed**" }
        bar[1] == "<=" { status = $2 <= bar[2] + 0 ? "met" : "**missed**" }
        { print status, $1, $2, $3 }'
}

rados_table() { # PHASE
    echo "| $1 | server | mode | handler | IOPS | mean ms | p99 ms | client, us | server, us |"
    echo '|---|---|---|---|---|---|---|---|---|'
    rados_rows | awk -F '\t' -v phase="$1" '$1 == phase {
        printf("| %s bench | %s | %s | %s | %s | %s | %s | %s | %s |\n", $2, $3, $4, $5, $6, $7, $8, $9, $10) }'
    echo
}

# Of the rows in secure mode: a column of rados_rows for each phase.
rados_plot() { # NAME TITLE YLABEL COLUMN
    rados_rows | awk -F '\t' -v column="$4" '
        BEGIN { print "row\twrite\tseq\trand" }
        $4 == "secure" {
            row = $2 " on " ($3 == "ceph" ? "ceph-osd" : $3) ($2 == "signet" && $3 == "ceph" ? ", " $5 : "")
            if (!(row in seen)) order[++n] = row
            seen[row] = 1
            v[row, $1] = $column
        }
        END { for (i = 1; i <= n; i++) { r = order[i]; print r "\t" v[r, "write"] "\t" v[r, "seq"] "\t" v[r, "rand"] } }' |
        histogram "$1" "$2" "$3"
}

rados_section() {
    printf '## Servers side by side: rados bench and signet bench\n\n'
    if ! has rados.tsv; then
        cat <<'TEXT'
Not measured. It needs Ceph, which `./dev interop 16` installs; then `./dev bench report -- --only rados` adds it to this page.

TEXT
        return
    fi
    echo "$(sed -n 's/^# about\t//p' "$data/rados.tsv" | paste -sd ';' | sed 's/;/; /g'). All rows take their turn in each round."
    echo 'Mean and p99 are of the latency; CPU is user and system time per operation. *nss* and *openssl* are the handlers of signet, at the client where there is one.'
    echo
    rados_plot rados_iops 'Operations of 4 KiB, 16 at a time, secure' 'IOPS' 6
    rados_plot rados_server 'CPU of the server for one of them' 'microseconds' 10
    rados_plot rados_client 'CPU of the client for one of them' 'microseconds' 9
    for phase in write seq rand; do
        rados_table "$phase"
    done
}
