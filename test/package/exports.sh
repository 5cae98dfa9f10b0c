#!/bin/bash
# exports.sh LIBRARY: it exports only signet_*, under a version of ours, and has our soname.
set -eu
library=$1
names=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }')
[ -n "$names" ]
if strange=$(grep -vE '^signet_[a-z0-9_]+@@SIGNET_[0-9]+$' <<<"$names"); then
    echo "exported, but not signet_*: $strange" >&2
    exit 1
fi
readelf -d "$library" | grep -q 'SONAME.*\[libsignet\.so\.[0-9]*\]'
echo "$(wc -l <<<"$names") exported names"
