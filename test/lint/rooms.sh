#!/bin/bash
# A room includes only itself, the rooms below it and public headers. lite and the tools use
# public headers and base or lite only.
set -eu
bad=0

rooms_below() {
    case $1 in
    base) echo "base" ;;
    crypto) echo "base crypto" ;;
    auth) echo "base crypto auth" ;;
    msg) echo "base crypto auth msg" ;;
    lite) echo "base lite" ;;
    tools) echo "lite" ;;
    *) echo "unknown room $1" >&2 && return 1 ;;
    esac
}

# Headers of a room are named by their path from src (base/cursor.h), those beside by their name.
while IFS=: read -r file line text; do
    room=${file#src/}
    room=${room%%/*}
    target=${text#*\"}
    target=${target%%\"*}
    case $target in
    */*) [[ " $(rooms_below "$room") " == *" ${target%%/*} "* ]] || [ -e "${file%/*}/$target" ] ;;
    *) [ -e "${file%/*}/$target" ] ;;
    esac || {
        echo "$file:$line: $room may not include $target"
        bad=1
    }
done < <(git grep -nE '^ *# *include *"' -- 'src/*.c' 'src/*.h')

if git grep -nE '^ *# *include *"' -- include; then
    echo "public headers include public headers only"
    bad=1
fi
# The driver fills socket addresses, which are the kernel's business.
if git grep -nE '\b(hto[bln]e?|[bl]e)(16|32|64)(toh)?\(|\b[hn]to[nh][sl]\(' -- 'src/*.c' 'src/*.h' ':!src/base' \
    ':!src/msg/driver*' ':!src/tools'; then
    echo "wire integers go through base/cursor.h"
    bad=1
fi
exit "$bad"
