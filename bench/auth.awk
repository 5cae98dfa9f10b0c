# What cephx adds to an operation, from what auth.sh counted; exit code 1 when it is more than bar per cent.
# In: kind, method, instructions of client and of server. Needs median.awk.
function row(kind, side, none, cephx, off, wrong) {
    off = (cephx - none) * 100 / none
    wrong = off > bar || off < -bar
    bad += wrong
    printf("%-6s %-7s %10.1f %10.1f %+9.2f %%%s\n", kind, side, none, cephx, off,
        wrong ? "  more than " bar " %" : "")
}

{
    client[$1, $2] = client[$1, $2] " " $3
    server[$1, $2] = server[$1, $2] " " $4
}

END {
    printf "%-6s %-7s %10s %10s %11s\n", "", "", "none", "cephx", "difference"
    split("write rand", kinds, " ")
    for (k = 1; k <= 2; k++) {
        row(kinds[k], "client", median(client[kinds[k], "none"]), median(client[kinds[k], "cephx"]))
        row(kinds[k], "server", median(server[kinds[k], "none"]), median(server[kinds[k], "cephx"]))
    }
    exit bad > 0
}
