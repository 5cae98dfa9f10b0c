/* SPDX-License-Identifier: MIT */
/* The state file of a key server. Whatever loads must also be written and load again. */
#include "auth_setup.h"

#include <stdio.h>
#include <unistd.h>

#include "auth/keyserver_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    struct snapshot *snapshot, *again;
    struct state_extra extra = {.id_limit = GLOBAL_ID_FIRST}, extra_again = extra;
    struct signet_fail fail = {0};
    (void)fuzz_env();
    int err = state_parse((const char *)data, size, &snapshot, &extra, &fail);
    demand((err == 0) == (snapshot != NULL));
    if (err != 0) {
        demand(err != -SIGNET_E_STATE_FILE || fail.offset > 0);
        return 0;
    }
    snprintf(path, sizeof(path), "/tmp/state_fuzz.%ld", (long)getpid());
    demand(state_save(path, snapshot, &extra) == 0);
    demand(state_load(path, &again, &extra_again, &fail) == 0);
    demand(again->num == snapshot->num && extra_again.id_limit == extra.id_limit);
    snapshot_free(again);
    snapshot_free(snapshot);
    unlink(path);
    return 0;
}
