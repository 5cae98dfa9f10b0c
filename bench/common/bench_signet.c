/* SPDX-License-Identifier: MIT */
#include "common/bench_signet.h"

static void add_handler(struct bench *b, struct bench_handlers *out,
                        const struct signet_handler *handler)
{
    struct signet_handler_info info;
    int err = signet_handler_probe(handler);
    bench_need(signet_handler_info(handler, &info) == 0, "a handler without a state");
    const char *fact = bench_text(b, "handler %s", info.name);
    if (err || out->num == BENCH_HANDLERS_MAX) {
        bench_fact(b, fact, "refused: %s", info.detail);
        return;
    }
    bench_fact(b, fact, "%s; %s", info.version, info.detail);
    out->at[out->num] = handler;
    out->name[out->num++] = info.name;
}

void bench_signet_start(struct bench *b, struct bench_handlers *out)
{
    const struct signet_handler *handler;
    *out = (struct bench_handlers){0};
    bench_need(signet_init(NULL) == 0, "signet does not start");
    for (size_t i = 0; (handler = signet_handler_at(i)) != NULL; i++) {
        add_handler(b, out, handler);
    }
    bench_need(out->num > 0, "no handler works");
}

void bench_signet_stop(void)
{
    signet_shutdown();
}

struct signet_key *bench_key(enum signet_key_type type, const struct signet_handler *handler,
                             unsigned seed)
{
    uint8_t secret[SIGNET_KEY_SECRET_MAX];
    struct signet_key *key;
    bench_fill(secret, sizeof secret, seed);
    bench_need(signet_key_import(&key, type, secret, signet_key_type_len(type), 0, handler) == 0,
               "a key cannot be imported");
    return key;
}

int bench_sealer_seal(void *sealer, uint8_t *out, const uint8_t *in, int n)
{
    const struct bench_sealer *s = sealer;
    size_t len;
    int err = signet_envelope_seal(s->key, s->usage, out, (size_t)n + 64, &len,
                                   in + SIGNET_ENVELOPE_HEADER, (size_t)n - SIGNET_ENVELOPE_HEADER);
    return err ? -1 : (int)len;
}

int bench_sealer_open(void *sealer, uint8_t *out, const uint8_t *in, int n)
{
    const struct bench_sealer *s = sealer;
    size_t len;
    int err = signet_envelope_open(s->key, s->usage, out + SIGNET_ENVELOPE_HEADER, (size_t)n, &len,
                                   in, (size_t)n);
    return err ? -1 : (int)len + SIGNET_ENVELOPE_HEADER;
}
