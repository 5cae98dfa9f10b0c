#!/bin/bash
# sessions.sh PROGRAM: lossless sessions with the machine's own Ceph 16; PROGRAM is session_osd. As
# another OSD it resumes a session with a real one whose connections are cut.
set -euo pipefail
program=$(readlink -f "${1:?usage: sessions.sh PROGRAM}")
here=$(dirname "$(readlink -f "$0")")
CEPH=16
WORK=$(mktemp -d)
RUN=()
# shellcheck source=cluster.sh
. "$here/cluster.sh"
trap 'cluster_stop_all; rm -rf "$WORK"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cluster_start main || {
    echo "the cluster did not start; its last words:" >&2
    tail -n 5 "$DIR"/*.out "$DIR"/*.log >&2 || true
    exit 1
}
new_key osd.1 aes mon 'allow profile osd' osd 'allow *' >/dev/null
key=$(awk '$1 == "key" { print $3 }' "$DIR/osd.1.keyring")
# Of the two address lists of a line of the dump the second is that for other OSDs.
osd=$(in_ceph ceph osd dump 2>/dev/null |
    sed -n '/^osd\.0 up / { s/.*\[v2:[^]]*\] \[v2:\([0-9.:/]*\),.*/\1/p }')
code=0
for mode in crc secure; do
    if "$program" "v2:$MON_V2/0" "v2:$osd" "$key" "$mode" >"$WORK/said" 2>&1; then
        echo "ok   lossless session with osd.0, $mode: $(tail -n 1 "$WORK/said")"
    else
        echo "FAIL lossless session with osd.0, $mode"
        sed 's/^/     | /' "$WORK/said"
        code=1
    fi
done
exit "$code"
