/* SPDX-License-Identifier: MIT */
/* Shows that the common main notices what it must: see the tests in CMakeLists.txt. */
#include "common/bench.h"

#include <stdlib.h>

static int right(void *arg)
{
    (void)arg;
    return 0;
}

static int wrong(void *arg)
{
    (void)arg;
    return 1;
}

static void allocate_twice(void *arg, uint64_t iters)
{
    (void)arg;
    for (uint64_t i = 0; i < iters; i++) {
        void *a = malloc(1), *b = calloc(1, 1);
        bench_use(a);
        bench_use(b);
        free(a);
        free(b);
    }
}

static void spin(void *arg, uint64_t iters)
{
    for (uint64_t i = 0; i < iters * 100; i++) {
        bench_use(arg);
    }
}

static double ten_ns(void *arg, uint64_t iters)
{
    (void)arg;
    return 10.0 * (double)iters;
}

static double thousand_ns(void *arg, uint64_t iters)
{
    return 100 * ten_ns(arg, iters);
}

static int setup(struct bench *b)
{
    bench_add(b, &(struct bench_row){.group = "g", .name = "base", .check = right, .run = spin});
    bench_add(b, &(struct bench_row){.group = "g",
                                     .name = "two allocations",
                                     .check = right,
                                     .run = allocate_twice,
                                     .no_allocs = true,
                                     .versus = {{.row = "base"}}});
    bench_add(b, &(struct bench_row){
                     .group = "g", .name = "ten", .bytes = 20, .check = right, .measure = ten_ns});
    bench_add(b, &(struct bench_row){.group = "g",
                                     .name = "thousand",
                                     .floor = "ten",
                                     .bar_floor_ns = 900,
                                     .check = right,
                                     .measure = thousand_ns});
    bench_add(b, &(struct bench_row){.group = "h", .name = "wrong", .check = wrong, .run = spin});
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "selftest", .question = "does the common main work?", .setup = setup};
    return bench_main(argc, argv, &program);
}
