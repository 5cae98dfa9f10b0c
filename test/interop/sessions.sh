# shellcheck shell=bash
# Lossless sessions with a real OSD. Uses SIGNET, DIR, MON_V2; new_key() and run_case().

# The address of osd.0 for other OSDs: the second one in its line of the dump.
osd_cluster_address() {
    in_ceph ceph osd dump 2>/dev/null |
        sed -n '/^osd\.0 up / { s/.*\[v2:[^]]*\] \[v2:\([0-9.:/]*\),.*/\1/p }'
}

# As osd.1: connections that are cut, with pings under way.
lossless_cases() {
    local program=${SIGNET%/bin/*}/test/session_osd mode key
    [ -x "$program" ] || {
        echo "note: no $program, no cases of lossless sessions"
        return
    }
    new_key osd.1 aes mon 'allow profile osd' osd 'allow *' >/dev/null
    key=$(awk '$1 == "key" { print $3 }' "$DIR/osd.1.keyring")
    for mode in crc secure; do
        run_case "lossless session, osd, $mode" 0 \
            'connection 1: new'$'\n''connection 6: resumed, .* sent 12, acknowledged 12' \
            "$program" "v2:$MON_V2/0" "v2:$(osd_cluster_address)" "$key" "$mode"
    done
}
