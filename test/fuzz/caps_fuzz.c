/* SPDX-License-Identifier: MIT */
/* Capabilities. Bytes: service u8, text. Whatever is taken is taken again behind a grant that is.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"
#include "lite/caps_check.h"
#include "lite/mon.h"

static void check(const char *service, char *text, size_t len)
{
    size_t stop = SIZE_MAX;
    int err = signet_caps_check(service, text, &stop);
    demand(stop <= len);
    demand(err != 0 || stop == len);
    if (err == 0) {
        char *twice = malloc(len + 16);
        demand(twice != NULL);
        int total = snprintf(twice, len + 16, "allow *,%s", text);
        demand(signet_caps_check(service, twice, &stop) == 0 && stop == (size_t)total);
        free(twice);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const services[] = {"mon", "osd", "mgr", "mds"};
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size);
    demand(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    check(services[data[0] % 4], text, strlen(text));
    demand(signet_mon_caps(text) <= SIGNET_MAY_ALL);
    free(text);
    return 0;
}
