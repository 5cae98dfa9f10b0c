#!/bin/bash
# install.sh BUILD VERSION CC: installs BUILD into a fresh prefix, builds the example of the README
# against it with pkg-config and with find_package, runs both, and asks the installed command.
set -eu
build=$1 version=$2 cc=$3
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # an installed tree may be moved
prefix=$work/prefix

# shellcheck disable=SC2016 # no commands but Markdown
sed -n '/^```c$/,/^```$/ { /^```/ !p }' "$here/../../README.md" >"$work/example.c"

pc=$(dirname "$(find "$prefix" -name signet.pc)")
export PKG_CONFIG_PATH=$pc
[ "$(pkg-config --modversion signet)" = "$version" ]
lib=$(pkg-config --variable=libdir signet)
# shellcheck disable=SC2046 # several words are wanted
"$cc" -std=c11 -Wall -Wextra -Werror "$work/example.c" -o "$work/example" \
    $(pkg-config --cflags --libs signet)
wanted='success: 65 bytes sealed, opened: who may do what'
[ "$(LD_LIBRARY_PATH=$lib "$work/example")" = "$wanted" ]

cmake -G Ninja -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLE="$work/example.c" \
    -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ "$("$work/build/example")" = "$wanted" ]

[ "$("$prefix/bin/signet" --version)" = "signet $version" ]
[ "$("$prefix/bin/signetd" --version)" = "signetd $version" ]
for page in "$here"/../../doc/man/*.[18]; do
    [ -e "$prefix/share/man/man${page##*.}/${page##*/}" ]
done
docs=$(dirname "$(find "$prefix" -name signetd.service)")
grep -q "^ExecStart=$work/first/bin/signetd " "$docs/signetd.service" # where it was installed to
[ -e "$docs/keyring.md" ] && [ -e "$docs/wire/cephx.md" ] && [ ! -e "$docs/man" ]
