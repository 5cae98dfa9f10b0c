/* SPDX-License-Identifier: MIT */
/* The OSD, its sessions, and which message is answered by what. */
#include "lite/osd_internal.h"

#include <string.h>

enum { SHARDS = 256, SHARDS_MAX = 4096 };
#define STORE_BYTES (UINT64_C(1) << 30)
#define OBJECT_MAX  (UINT64_C(128) << 20)

int signet_osd_init(struct signet_osd *osd, const struct signet_osd_options *options)
{
    struct store_options store = {
        .max_bytes = options->store_bytes != 0 ? options->store_bytes : STORE_BYTES,
        .max_object = options->max_object != 0 ? options->max_object : OBJECT_MAX,
        .shards = options->shards != 0 ? options->shards : SHARDS,
        .env = options->env,
    };
    *osd = (struct signet_osd){.cluster = options->cluster};
    if (store.shards > SHARDS_MAX || (store.shards & (store.shards - 1)) != 0) {
        return -SIGNET_E_INVAL;
    }
    int err = store_new(&osd->store, &store);
    if (err != 0) {
        return err;
    }
    osd->peers = osd_peers_new();
    if (osd->peers == NULL) {
        signet_osd_clear(osd);
        return -SIGNET_E_NOMEM;
    }
    return 0;
}

void signet_osd_quiet(struct signet_osd *osd)
{
    journal_quiet(osd->journal);
}

void signet_osd_clear(struct signet_osd *osd)
{
    osd_keeper_end(osd->keeper);
    journal_close(osd->journal);
    store_free(osd->store);
    osd_peers_free(osd->peers);
    *osd = (struct signet_osd){0};
}

struct store_usage signet_osd_usage(const struct signet_osd *osd)
{
    return store_usage(osd->store);
}

struct store_pool signet_osd_pool_usage(const struct signet_osd *osd, uint64_t pool)
{
    return store_pool_usage(osd->store, pool);
}

void signet_osd_session_make(struct signet_osd_session *session, struct signet_osd *osd,
                             uint64_t global_id, const char *caps)
{
    *session = (struct signet_osd_session){.osd = osd, .global_id = global_id};
    (void)osd_caps_parse(&session->caps, caps);
}

int signet_osd_session_init(struct signet_osd_session *session, struct signet_osd *osd,
                            struct signet_login *login)
{
    const struct signet_identity *who = signet_login_identity(login);
    if (who == NULL) {
        return -SIGNET_E_STATE;
    }
    signet_osd_session_make(session, osd, who->global_id, who->caps);
    return 0;
}

void signet_osd_session_clear(struct signet_osd_session *session)
{
    if (session->osd != NULL) {
        osd_peer_leave(session->osd->peers, session->peer);
        osd_line_leave(session->line);
    }
    *session = (struct signet_osd_session){0};
}

static int operation(struct osd_call *call)
{
    int err = osd_request_decode(call);
    return err != 0 ? err : osd_run(call);
}

int signet_osd_message(struct signet_osd *osd, struct signet_osd_session *session,
                       const struct signet_message *in, signet_osd_send send, void *arg,
                       struct signet_fail *fail)
{
    struct osd_call call;
    if (in->type != MSG_OSD_OP && in->type != MSG_TELL) {
        return 0;
    }
    call.osd = osd;
    call.session = session;
    call.in = in;
    call.send = send;
    call.arg = arg;
    call.fail = fail;
    call.id = NULL;
    call.object = NULL;
    return in->type == MSG_OSD_OP ? operation(&call) : osd_tell(&call);
}
