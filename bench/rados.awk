# Medians and ratios of what rados.sh measured. Needs median.awk.
# In: round, client, server, mode, handler, phase, IOPS, mean ms, p99 ms, client us, server us.
function ratio(text, bar, a, b, field, phase, key_a, key_b) {
    key_a = a SUBSEP phase SUBSEP field
    key_b = b SUBSEP phase SUBSEP field
    if (!(key_a in values) || !(key_b in values) || median(values[key_b]) == 0)
        return
    printf "  %-64s %7.3fx  (bar: %s)\n", text ", " phase,
        median(values[key_a]) / median(values[key_b]), bar
}

{
    row = $2 SUBSEP $3 SUBSEP $4 SUBSEP $5
    if (!(row in seen)) {
        seen[row] = 1
        order[++rows] = row
    }
    for (f = 7; f <= 11; f++) {
        key = row SUBSEP $6 SUBSEP f
        values[key] = values[key] " " $f
    }
}

END {
    split("write seq rand", phases, " ")
    for (p = 1; p <= 3; p++) {
        printf "\n%-6s %-8s %-16s %-7s %-8s %9s %9s %9s %11s %11s\n", phases[p], "client", "server",
            "mode", "handler", "IOPS", "mean ms", "p99 ms", "client us", "server us"
        for (r = 1; r <= rows; r++) {
            split(order[r], name, SUBSEP)
            at = order[r] SUBSEP phases[p] SUBSEP
            if (!(at 7 in values))
                continue
            p99 = values[at 9] ~ /-/ ? "-" : sprintf("%.3f", median(values[at 9]))
            printf "%-6s %-8s %-16s %-7s %-8s %9.0f %9.3f %9s %11.1f %11.1f\n", "", name[1], name[2],
                name[3], name[4], median(values[at 7]), median(values[at 8]), p99,
                median(values[at 10]), median(values[at 11])
        }
    }
    print "\nratios"
    for (p = 1; p <= 3; p++) { # what cephx costs in an open session; logins are in both
        ratio("CPU/op of ceph-osd, crc to no authentication", "none",
            "rados" SUBSEP "ceph" SUBSEP "crc" SUBSEP "-",
            "rados" SUBSEP "ceph-none" SUBSEP "none" SUBSEP "-", 11, phases[p])
        ratio("CPU/op of signetd, crc to no authentication", "none",
            "signet" SUBSEP "signetd-nss" SUBSEP "crc" SUBSEP "nss",
            "signet" SUBSEP "signetd-none" SUBSEP "none" SUBSEP "-", 11, phases[p])
    }
    base = "rados" SUBSEP "ceph" SUBSEP "secure" SUBSEP "-"
    split("nss openssl", handlers, " ")
    for (h = 1; h <= 2; h++) {
        hn = handlers[h]
        theirs = "rados" SUBSEP "signetd-" hn SUBSEP "secure" SUBSEP "-"
        ours = "signet" SUBSEP "ceph" SUBSEP "secure" SUBSEP hn
        both = "signet" SUBSEP "signetd-" hn SUBSEP "secure" SUBSEP hn
        for (p = 1; p <= 3; p++) {
            write = phases[p] == "write"
            ratio("IOPS of rados bench on signetd to ceph-osd, " hn, write ? ">= 2.5" : ">= 1.5",
                theirs, base, 7, phases[p])
            ratio("CPU/op of signetd to ceph-osd, " hn, write ? "<= 0.12" : "<= 0.20",
                theirs, base, 11, phases[p])
            ratio("CPU/op of signet bench to rados bench on ceph-osd, " hn, "<= 0.25",
                ours, base, 10, phases[p])
            ratio("IOPS of signet bench to rados bench on ceph-osd, " hn, ">= 1",
                ours, base, 7, phases[p])
            ratio("IOPS of signet on signetd to rados on ceph-osd, " hn, write ? ">= 8" : "none",
                both, base, 7, phases[p])
        }
    }
}
