#!/bin/bash
# man.sh SIGNET SIGNETD FOLDER: each command has a manual page; options and pages tell the same story.
set -eu
signet=$1 signetd=$2 pages=$3
bad=0

# Long options, one a line. In pages a dash may be written \-.
options() {
    sed 's/\\-/-/g' | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u
}

compare() { # NAME HELP PAGE
    local diff
    if [ ! -e "$3" ]; then
        echo "$1: no page ${3##*/}"
        bad=1
    elif ! diff=$(diff <(options <<<"$2") <(options <"$3")); then
        printf '%s: only in --help (<) or only in the page (>):\n%s\n' "$1" "$diff"
        bad=1
    fi
}

compare signet "$("$signet" --help)" "$pages/signet.1"
for name in $("$signet" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    compare "signet $name" "$("$signet" "$name" --help)" "$pages/signet-$name.1"
done
compare signetd "$("$signetd" --help)" "$pages/signetd.8"
[ "$bad" = 0 ] && echo "options and pages agree"
exit "$bad"
