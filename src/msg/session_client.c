/* SPDX-License-Identifier: MIT */
/* What one client has of a table: a client is a global_id, for addresses it may claim at will. */
#include "msg/session_internal.h"

#include "base/siphash.h"

static struct signet_session **chain_of(struct signet_sessions *table, uint64_t global_id)
{
    struct siphash s = siphash_begin(table->key);
    siphash_word(&s, global_id);
    return &table->of_client[siphash_end(&s) % SESSION_BUCKETS];
}

void sessions_client_link(struct signet_session *session)
{
    if (session->linked && !session->made_here) {
        struct signet_session **chain = chain_of(session->table, session->global_id);
        session->next_of_client = *chain;
        *chain = session;
    }
}

void sessions_client_unlink(struct signet_session *session)
{
    if (session->linked && !session->made_here) {
        struct signet_session **at = chain_of(session->table, session->global_id);
        while (*at != session) {
            at = &(*at)->next_of_client;
        }
        *at = session->next_of_client;
    }
}

int sessions_client_room(struct signet_sessions *table, uint64_t global_id)
{
    struct signet_session *oldest = NULL;
    uint32_t num = 0;
    for (struct signet_session *s = *chain_of(table, global_id); s != NULL; s = s->next_of_client) {
        if (s->global_id == global_id) {
            num++;
            bool older = s->idle && (oldest == NULL || s->idle_ns < oldest->idle_ns);
            oldest = older ? s : oldest;
        }
    }
    if (num < table->o.max_per_client) {
        return 0;
    }
    if (oldest == NULL) {
        return -SIGNET_E_SESSION_CLIENT_LIMIT;
    }
    sessions_drop(oldest);
    return 0;
}
