#!/bin/bash
# install.sh BUILD VERSION CC: installs BUILD into a fresh prefix, builds one program against it
# with pkg-config and with find_package, runs both, and asks the installed command.
set -eu
build=$1 version=$2 cc=$3
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # an installed tree may be moved
prefix=$work/prefix

pc=$(dirname "$(find "$prefix" -name signet.pc)")
export PKG_CONFIG_PATH=$pc
[ "$(pkg-config --modversion signet)" = "$version" ]
lib=$(pkg-config --variable=libdir signet)
# shellcheck disable=SC2046 # several words are wanted
"$cc" -std=c11 -Wall -Wextra -Werror "$here/consumer.c" -o "$work/consumer" \
    $(pkg-config --cflags --libs signet)
echo "pkg-config: $(LD_LIBRARY_PATH=$lib "$work/consumer" "$version")"

cmake -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
echo "find_package: $("$work/build/consumer" "$version")"

"$prefix/bin/signet" --version | grep -F "$version"
for page in "$here"/../../doc/man/*.1; do
    [ ! -e "$page" ] || [ -e "$prefix/share/man/man1/${page##*/}" ]
done
