/* SPDX-License-Identifier: MIT */
#include <signet/signet.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct signet_key *key = NULL;
    uint8_t ticket[] = "who may do what", sealed[128], opened[128];
    size_t len = 0, back = 0;
    int err = signet_init(NULL);
    err = err ? err : signet_key_generate(&key, SIGNET_KEY_AES256K, NULL);
    err = err ? err
              : signet_envelope_seal(key, SIGNET_USAGE_TICKET_INFO, sealed, sizeof(sealed), &len,
                                     ticket, sizeof(ticket));
    err = err ? err
              : signet_envelope_open(key, SIGNET_USAGE_TICKET_INFO, opened, sizeof(opened), &back,
                                     sealed, len);
    printf("%s: %zu bytes sealed, opened: %s\n", signet_strerror(err), len, (char *)opened);
    int same = back == sizeof(ticket) && memcmp(opened, ticket, back) == 0;
    int wanted = argc < 2 || strcmp(signet_version(), argv[1]) == 0;
    signet_key_unref(key);
    signet_shutdown();
    return err == 0 && same && wanted ? 0 : 1;
}
