# shellcheck shell=bash
# The text of the performance report; sourced by report.sh. Uses data, here, benches.

here=${here:?} data=${data:?} benches=("${benches[@]:?}")

# fact NAME FILE: what a bench says about its run.
fact() {
    sed -n "/^# $1\t/{s///p;q}" "$data/$2"
}

facts_of() { # BENCH PATTERN
    sed -n "s/^# \($2[^\t]*\)\t/- \1: /p" "$data/$1.tsv"
    echo
}

# --- bars -----------------------------------------------------------------------------------------

bars_of() { # BENCH
    awk -F '\t' -v b="$1" '
        /^# bar\t/ {
            print "| " ($2 == "met" ? "met" : "**missed**") " | " b ": " $3 " | " $4 " | " $5 " | " $6 " |" }
        match($0, /\(bar: [^)]*, (met|MISSED)\)/) && !/^# bar\t/ { # a fact that has one
            split(substr($0, RSTART + 6, RLENGTH - 7), bar, ", ")
            name = $1
            sub(/^# /, "", name)
            print "| " (bar[2] == "met" ? "met" : "**missed**") " | " b ": " name " | | " substr($2, 1, index($2, " (bar") - 1) " | " bar[1] " |" }
        ' "$data/$1.tsv"
}

bars() {
    echo '| | what | row | measured | bar |'
    echo '|---|---|---|---|---|'
    local name
    for name in "${benches[@]}"; do
        ! has "$name.tsv" || bars_of "$name"
    done
    rados_bars | awk -F '\t' '{ print "| " $1 " | rados: " $2 " | | " $3 " | " $4 " |" }'
    echo
    awk -F '\t' '/^# rows without/ { n += $2 } END { print n " rows of the library allocate nothing." }' \
        "$data"/*.tsv
}

# --- tables ---------------------------------------------------------------------------------------

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

scaling() {
    echo '| operation | 2 threads | at worst | 2 processes | at worst |'
    echo '|---|---|---|---|---|'
    awk -F '\t' '/^threads\t/ && $3 == "2 processes" { p = sprintf("%.2f | %.2f", $13, $14) }
        /^threads\t/ && $3 == "2 threads" { printf "| %s | %.2f | %.2f | %s |\n", $2, $13, $14, p }' "$data/threads.tsv"
    echo
}

# Writers on one connection: times as fast outside the lock, and what that is.
one_conn_table() {
    echo '| messages | 1 writer | 2 writers | 4 writers | 8 writers |'
    echo '|---|---|---|---|---|'
    awk -F '\t' '
        $1 == "one_conn" && $3 ~ /reserve/ {
            if (!($2 in v)) order[++n] = $2
            v[$2] = v[$2] sprintf(" %.2f (%.2f) |", $13, $4 / $6)
        }
        END { for (i = 1; i <= n; i++) print "| " order[i] " |" v[order[i]] }' "$data/one_conn.tsv"
    echo
}

security_table() {
    echo '| side | crc | secure | bare GCM calls | secure - crc | times the bare calls |'
    echo '|---|---|---|---|---|---|'
    awk -F '\t' '
        $1 == "security" {
            if (!($2 in seen)) order[++n] = $2
            seen[$2] = 1
            v[$2, $3] = $6
            if ($13 > 0) times[$2] = 1 / $13
        }
        END { for (i = 1; i <= n; i++) { g = order[i]
            printf("| %s | %.0f | %.0f | %.0f | %.0f | %.2f |\n", g, v[g, "crc"], v[g, "secure"],
                   v[g, "bare GCM"], v[g, "secure - crc"], times[g]) } }' "$data/security.tsv"
    echo
}

memory_table() {
    echo '| idle connections | handler | bytes each | opened within | CPU of signetd each |'
    echo '|---|---|---|---|---|'
    sed -nE 's/^# ([0-9]+) idle connections, ([^\t]+)\t([0-9]+) bytes each.*; opened in ([^,]+), (.*) of CPU each.*/| \1 | \2 | \3 | \4 | \5 |/p' \
        "$data/scale.tsv"
    echo
}

# How often a second, by medians; a ratio is that of the two samples of a round, the median of all.
rates() { # NAME GROUP-PATTERN
    echo "| $1 | row | a second | us each | times as fast |"
    echo '|---|---|---|---|---|'
    awk -F '\t' -v group="$2" '!/^#/ && !/^bench\t/ && $2 ~ group {
        printf("| %s | %s | %s | %.1f | %s |\n", $2 == last ? "" : $2, $3,
               $3 ~ /CPU/ ? "" : sprintf("%.0f", 1e9 / $6), $6 / 1e3, $13 > 0 ? sprintf("%.2f", $13) : "")
        last = $2 }' "$data/$1.tsv"
    echo
}

# --- sections -------------------------------------------------------------------------------------

# section TITLE NEEDED-FILE: its head; fails, with a sentence in the page, where nothing was measured.
section() {
    printf '## %s\n\n' "$1"
    has "$2" || {
        printf 'Not measured.\n\n'
        return 1
    }
}

frames_section() {
    section 'Frames and messages' seal_frame.tsv || return 0
    plot_frames
    ! has aes_small.tsv || table aes_small '^gcm'
    ! has sign.tsv || table sign .
}

many_section() {
    section 'Many keys, many threads, switching' many_keys.tsv || return 0
    facts_of many_keys bytes
    ! has instructions.txt || sed 's/^/- /;$s/$/\n/' "$data/instructions.txt"
    table many_keys .
    ! has switch.tsv || table switch .
    has threads.tsv || return 0
    echo 'Two threads on one key, by medians and at worst, as many times as fast as one; what two processes reach that share nothing says what the machine gives:'
    echo
    scaling
}

one_conn_section() {
    section 'Many writers on one connection' one_conn.tsv || return 0
    cat <<'TEXT'
Threads that send on one connection: sealing under the connection's lock, against reserving sequence numbers and sealing outside it. What is sealed is *dropped*, or
written *to a reader*: over loopback to a thread on the same processors that reads and opens all. Cells: times as fast outside the lock as under it, and GB/s
outside it.

TEXT
    one_conn_table
    plot_one_conn
}

security_section() {
    section 'What security costs an operation' security.tsv || return 0
    cat <<'TEXT'
A message with 4 KiB there and an answer back, 16 at a time, without sockets; ns of one side per operation, medians. *Bare GCM calls* are the four calls that a side
cannot do without; what secure mode takes more than crc mode may be 1.3 times that.

TEXT
    security_table
    plot_security
}

scale_section() {
    section 'Many connections to one signetd' scale.tsv || return 0
    memory_table
    plot_memory
    facts_of scale storm
    echo 'Alone and beside idle ones, in turn, the same 64 connections write; logins and authorizers are 50 at a time. All of it is with the client on the same processors.'
    echo
    rates scale .
}

profile_section() {
    section 'Where the time of signetd goes' profile.md || return 0
    cat <<'TEXT'
What signetd does while `signet bench` loads it with 4 KiB operations, 16 at a time on one secure connection.

TEXT
    cat "$data/profile.md"
    echo
}

conditions() {
    local name load
    echo '| part | load at start | system | OpenSSL | NSS |'
    echo '|---|---|---|---|---|'
    for name in "${benches[@]}"; do
        has "$name.tsv" || continue
        load=$(fact 'load at start' "$name.tsv")
        echo "| $name | $load | $(fact system "$name.tsv") | $(fact openssl "$name.tsv") | $(fact nss "$name.tsv") |"
    done
    ! has rados.tsv || echo "| rados | $(sed -n 's/^# about\t.*load: //p' "$data/rados.tsv") | | | |"
    echo
}

page() {
    local name first=''
    for name in "${benches[@]}"; do
        [ -n "$first" ] || ! has "$name.tsv" || first=$name.tsv
    done
    [ -n "$first" ] || die "nothing was ever measured"
    cat <<TEXT
# Performance

Measured by \`./dev bench report\` on one machine, each part in one run: $(fact cpu "$first"), $(fact cores "$first") cores, $(fact system "$first"); OpenSSL $(fact openssl "$first"),
NSS $(fact nss "$first"), gcc $(fact compiler "$first"), MIT krb5 $(fact krb5 seal_ticket.tsv 2>/dev/null || true); signet $(fact signet "$first"). What else ran on the machine is the *load* at the end of this page.
Figures differ from machine to machine; ratios differ less. Minima of interleaved rounds unless said. All values: \`performance/*.tsv\`.

Rows that are no signet: *limit* is a loop of the bare AES instructions, *naive* makes everything anew in each call, *cached* keeps the key and makes a context,
*bare* calls the library's innermost functions on a kept context. \`bench_NAME\` says more.

## Bars

$(bars)

TEXT
    cat "$here/report-notes.md"
    echo
    sections
}

sections() {
    if section 'Envelopes' seal_ticket.tsv; then
        plot_envelopes
        table seal_ticket '128 B, aes$'
        table seal_ticket '128 B, aes256k$'
    fi
    frames_section
    if section 'Logs' log_records.tsv; then
        plot_logs
    fi
    if section 'Large payloads' big_payload.tsv; then
        table big_payload '^open'
    fi
    many_section
    one_conn_section
    security_section
    profile_section
    rados_section
    scale_section
    printf '## Load\n\n'
    conditions
}
