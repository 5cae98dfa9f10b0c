#!/bin/bash
# root20.sh FOLDER: makes FOLDER a Debian sid tree with Ceph 20 (about 1 GB), unless it is one.
# Needs root, debootstrap and a Debian machine, whose own package mirror is used.
# Exit code 3: cannot be had here, the reason is on stderr.
set -eu
root=${1:?usage: root20.sh FOLDER}
here=$(dirname "$(readlink -f "$0")")
skip() {
    echo "root20: $*" >&2
    exit 3
}

mirror() {
    # shellcheck disable=SC2016 # the dollars are apt's
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
        awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

ready() {
    [ -e "$root/.ready" ]
}

make_root() {
    local uri keys=/usr/share/keyrings/debian-archive-keyring.gpg
    uri=$(mirror)
    [ -n "$uri" ] || skip "the package sources of this machine name no Debian mirror"
    [ -e "$keys" ] || skip "$keys is missing"
    rm -rf "$root.new"
    debootstrap --variant=minbase --keyring="$keys" sid "$root.new" "$uri" >&2 ||
        skip "debootstrap failed"
    # Without systemd and device nodes some post-install scripts fail; the programs run.
    "$here/enter.sh" "$root.new" sh -c 'export DEBIAN_FRONTEND=noninteractive
        apt-get update -q
        apt-get install -qy --no-install-recommends ceph-mon ceph-osd ceph-common' >&2 || true
    "$here/enter.sh" "$root.new" apt-get clean
    "$here/enter.sh" "$root.new" ceph-mon --version | grep -Eq ' version (19\.2\.[6-9]|2[0-9])' ||
        skip "the Ceph of Debian sid is too old, or did not install"
    rm -rf "$root"
    mv "$root.new" "$root"
    touch "$root/.ready"
}

[ "$(id -u)" = 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
command -v apt-get >/dev/null || skip "this machine has no apt"
ready || make_root
"$here/enter.sh" "$root" ceph-mon --version
