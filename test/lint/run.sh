#!/bin/bash
# run.sh BUILD: every static check; BUILD is a configured build made with clang. Prints one line
# for each check, and what a failed one found; exit code 1 if any failed.
# shellcheck disable=SC2317 # functions are called by name
set -u
build=$1
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
lint=test/lint
bad=0

check() { # NAME COMMAND...
    local name=$1 out
    shift
    if out=$("$@" 2>&1); then
        echo "ok   $name${out:+: $(tail -1 <<<"$out")}"
    else
        printf 'FAIL %s\n%s\n' "$name" "$out"
        bad=1
    fi
}

sources() { # GLOB...
    git ls-files -- "$@"
}

formatted() {
    sources '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run -Werror
}

# Tests are left out, since their macros expand to what half of the checks object to.
tidy() {
    sources 'src/*.c' 'bench/*.c' 'test/fuzz/*.c' |
        xargs -n 4 -P "$(nproc)" clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
}

shells() {
    # shellcheck disable=SC2046 # names without blanks
    shellcheck -x -P SCRIPTDIR dev .ci/run $(sources '*.sh')
}

pages() {
    local page out=''
    for page in $(sources 'doc/man/*'); do
        out+=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" \
            2>&1 >/dev/null)
    done
    echo "$out"
    [ -z "$out" ]
}

check "formatting" formatted
check "rooms" "$lint/rooms.sh"
check "sizes" "$lint/sizes.sh"
check "secrets" "$lint/secrets.sh"
check "errors have tests" "$lint/errors.sh"
check "shell" shells
command -v man >/dev/null && check "manual pages" pages
check "clang-tidy" tidy
exit "$bad"
