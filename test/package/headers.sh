#!/bin/bash
# headers.sh INCLUDE CC CXX: each public header compiles alone as C11 and as C++17, with no
# feature macro set and every warning an error.
set -eu
include=$1 cc=$2 cxx=$3
flags=(-fsyntax-only -I "$include" -Wall -Wextra -Wpedantic -Werror)
num=0
for header in "$include"/signet/*.h; do
    # The declaration keeps a header of macros alone from being an empty file.
    line="#include <signet/${header##*/}>"$'\n'"extern int not_empty;"
    echo "$line" | "$cc" -x c -std=c11 "${flags[@]}" -Wstrict-prototypes -
    echo "$line" | "$cxx" -x c++ -std=c++17 "${flags[@]}" -
    num=$((num + 1))
done
echo "$num headers stand alone"
[ "$num" -gt 0 ]
