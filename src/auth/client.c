/* SPDX-License-Identifier: MIT */
/* The client as an object: what it holds and what is due. Source: cephx.md 10. */
#include "auth/client_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

static const uint32_t services[SLOT_NUM] = {
    [SLOT_AUTH] = SIGNET_AUTH, [SLOT_MON] = SIGNET_MON, [SLOT_OSD] = SIGNET_OSD,
    [SLOT_MGR] = SIGNET_MGR,   [SLOT_MDS] = SIGNET_MDS,
};

#define ALL_SERVICES ((uint32_t)(SIGNET_AUTH | SIGNET_MON | SIGNET_OSD | SIGNET_MGR | SIGNET_MDS))

unsigned signet_slot_of(uint32_t service)
{
    unsigned slot = 0;
    while (slot < SLOT_NUM && services[slot] != service) {
        slot++;
    }
    return slot;
}

uint32_t signet_slot_service(unsigned slot)
{
    return services[slot];
}

bool signet_ticket_usable(const struct ticket *ticket, uint64_t now_ns)
{
    return ticket->session_key != NULL && !ticket->invalidated && now_ns < ticket->expires_ns;
}

void signet_ticket_drop(struct ticket *ticket)
{
    signet_key_unref(ticket->session_key);
    free(ticket->blob);
    *ticket = (struct ticket){.session_key = NULL};
}

void signet_ticket_set_drop(struct ticket_set *set)
{
    for (unsigned i = 0; i < SLOT_NUM; i++) {
        signet_ticket_drop(&set->slot[i]);
    }
}

void signet_rotating_drop(struct rotating *rotating)
{
    for (size_t i = 0; i < rotating->num; i++) {
        signet_key_unref(rotating->entry[i].key);
    }
    *rotating = (struct rotating){.num = 0};
}

void signet_auth_result_clear(struct signet_auth_result *result)
{
    signet_key_unref(result->session_key);
    signet_wipe(result, sizeof(*result));
}

static bool method_valid(const struct signet_client_options *options)
{
    switch (options->method) {
    case 0:
    case SIGNET_AUTH_CEPHX:
        return options->key != NULL;
    default:
        return options->method == SIGNET_AUTH_NONE;
    }
}

int signet_client_new(struct signet_client **out, const struct signet_client_options *options)
{
    *out = NULL;
    if (!method_valid(options) || (options->want & ~ALL_SERVICES) != 0 ||
        options->name.id_len > SIGNET_NAME_ID_MAX) {
        return -SIGNET_E_INVAL;
    }
    struct signet_client *client = calloc(1, sizeof(*client));
    if (client == NULL) {
        return -SIGNET_E_NOMEM;
    }
    client->options = *options;
    client->options.want |= SIGNET_AUTH;
    if (options->method == SIGNET_AUTH_NONE) {
        client->options.key = NULL;
    } else {
        client->options.method = SIGNET_AUTH_CEPHX;
        signet_key_ref(options->key);
    }
    *out = client;
    return 0;
}

void signet_client_free(struct signet_client *client)
{
    if (client == NULL) {
        return;
    }
    signet_ticket_set_drop(&client->tickets);
    signet_rotating_drop(&client->rotating);
    signet_key_unref(client->options.key);
    free(client);
}

uint32_t signet_client_method(const struct signet_client *client)
{
    return client->options.method;
}

static bool has_tickets(const struct signet_client *client)
{
    return client->options.method == SIGNET_AUTH_CEPHX;
}

static uint64_t now(const struct signet_client *client)
{
    return client->options.env.mono_ns(client->options.env.arg);
}

/* When the ticket of a slot is due, monotonic. */
static uint64_t due_at(const struct signet_client *client, unsigned slot)
{
    const struct ticket *ticket = &client->tickets.slot[slot];
    return ticket->session_key == NULL || ticket->invalidated ? 0 : ticket->renew_ns;
}

/* When it is due and may be asked for. */
static uint64_t ask_at(const struct signet_client *client, unsigned slot)
{
    uint64_t due = due_at(client, slot);
    return due > client->retry_ns[slot] ? due : client->retry_ns[slot];
}

static bool wanted(const struct signet_client *client, unsigned slot)
{
    return (client->options.want & services[slot]) != 0;
}

uint32_t signet_client_due(const struct signet_client *client)
{
    uint32_t due = 0;
    uint64_t t = now(client);
    for (unsigned i = 0; i < SLOT_NUM; i++) {
        due |= wanted(client, i) && due_at(client, i) <= t ? services[i] : 0;
    }
    return due;
}

/* Without a usable AUTH ticket nothing can be asked for but that. */
static bool auth_blocks(const struct signet_client *client, uint64_t t)
{
    return !signet_ticket_usable(&client->tickets.slot[SLOT_AUTH], t) &&
           ask_at(client, SLOT_AUTH) > t;
}

uint32_t signet_client_need(const struct signet_client *client)
{
    uint32_t need = 0;
    uint64_t t = now(client);
    if (!has_tickets(client) || auth_blocks(client, t)) {
        return 0;
    }
    for (unsigned i = 0; i < SLOT_NUM; i++) {
        need |= wanted(client, i) && ask_at(client, i) <= t ? services[i] : 0;
    }
    return need;
}

uint64_t signet_client_deadline_ns(const struct signet_client *client)
{
    if (!has_tickets(client)) {
        return UINT64_MAX;
    }
    uint64_t t = now(client);
    uint64_t first = ask_at(client, SLOT_AUTH);
    bool blocked = auth_blocks(client, t);
    for (unsigned i = 0; i < SLOT_NUM && !blocked; i++) {
        uint64_t at = wanted(client, i) ? ask_at(client, i) : UINT64_MAX;
        first = at < first ? at : first;
    }
    return first <= t ? 0 : first;
}

uint64_t signet_client_global_id(const struct signet_client *client)
{
    return client->global_id;
}

int signet_client_ticket(const struct signet_client *client, size_t index,
                         struct signet_ticket_info *out)
{
    for (unsigned i = 0; i < SLOT_NUM; i++) {
        const struct ticket *t = &client->tickets.slot[i];
        if (t->session_key == NULL || index-- > 0) {
            continue;
        }
        *out = (struct signet_ticket_info){
            .service = services[i],
            .secret_id = t->secret_id,
            .session_type = signet_key_type(t->session_key),
            .validity_ns = t->validity_ns,
            .expires_mono_ns = t->expires_ns,
            .renew_mono_ns = t->renew_ns,
            .created_ns = t->created_ns,
            .received_ns = t->received_ns,
            .blob_len = t->blob_len,
            .usable = signet_ticket_usable(t, now(client)),
        };
        return 0;
    }
    return -SIGNET_E_NOT_FOUND;
}

static void invalidate(struct signet_client *client, unsigned slot)
{
    client->tickets.slot[slot].invalidated = true;
    client->retry_ns[slot] = 0;
}

void signet_client_invalidate(struct signet_client *client, uint32_t service)
{
    unsigned slot = signet_slot_of(service);
    if (slot < SLOT_NUM) {
        invalidate(client, slot);
        invalidate(client, SLOT_AUTH);
    }
}

void signet_client_reset(struct signet_client *client)
{
    signet_ticket_set_drop(&client->tickets);
    memset(client->retry_ns, 0, sizeof(client->retry_ns));
    client->global_id = 0;
    client->stage = STAGE_IDLE;
    client->pending = 0;
}

int signet_client_secret(const struct signet_client *client, size_t index,
                         struct signet_rotating_info *out)
{
    if (index >= client->rotating.num) {
        return -SIGNET_E_NOT_FOUND;
    }
    *out = client->rotating.entry[index];
    return 0;
}
