#!/bin/bash
# enter.sh ROOT COMMAND...: runs COMMAND in the tree ROOT with /proc, /dev and, if set, the folder
# $CEPH_DIR at the same path. The mounts live in a name space of their own and die with it.
set -eu
root=${1:?usage: enter.sh ROOT COMMAND...}
shift
if [ "${ENTERED:-}" != 1 ]; then
    exec env ENTERED=1 unshare --mount --propagation private "$0" "$root" "$@"
fi
unset ENTERED
mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
mount -t tmpfs tmpfs "$root/tmp"
if [ -n "${CEPH_DIR:-}" ]; then
    mkdir -p "$root$CEPH_DIR"
    mount --bind "$CEPH_DIR" "$root$CEPH_DIR"
fi
exec chroot "$root" "$@"
