/* SPDX-License-Identifier: MIT */
/* Tickets and rotating secrets for a session. Source: cephx.md 5.1, 7, 8. */
#include <errno.h>
#include <string.h>

#include "auth/login.h"
#include "base/fail.h"
#include "base/rcu.h"
#include "base/secret.h"

/* As seen on real monitors: an AUTH session key has the type of the principal's key; a service
 * session key is of type 2 only if the principal's key and the service cipher both are. */
static enum signet_key_type session_type(const struct signet_login *login, uint32_t service)
{
    if (service == SIGNET_AUTH) {
        return login->secret_type;
    }
    bool both = login->secret_type == SIGNET_KEY_AES256K &&
                login->server->options.service_cipher == SIGNET_KEY_AES256K;
    return both ? SIGNET_KEY_AES256K : SIGNET_KEY_AES;
}

static void fill_ticket(struct signet_auth_ticket *t, const struct signet_login *login,
                        const struct principal *principal, uint32_t service, uint64_t now_ns,
                        uint64_t ttl_ns)
{
    const char *caps =
        service == SIGNET_AUTH ? "" : principal_cap(principal, signet_service_name(service));
    *t = (struct signet_auth_ticket){
        .name = login->name,
        .global_id = login->global_id,
        .auid = UINT64_MAX,
        .created = signet_utime_from_ns(now_ns),
        .expires = signet_utime_from_ns(now_ns + ttl_ns),
        .caps = {.present = caps[0] != 0, .text = {(const uint8_t *)caps, strlen(caps)}},
    };
}

int login_make_grant(const struct signet_login *login, const struct snapshot *now,
                     const struct principal *principal, uint32_t service, struct login_grant *out)
{
    const struct signet_keyserver_options *o = &login->server->options;
    const struct rotating_set *set = &now->rotating[rotating_index(service)];
    uint64_t now_ns = keyserver_now_ns(login->server);
    const struct rotating_secret *secret = rotating_sealing(set, now_ns);
    uint64_t ttl_ns = rotating_ticket_ttl_ns(
        set, now_ns, service == SIGNET_AUTH ? o->auth_ttl_ns : o->service_ttl_ns);
    if (secret == NULL || ttl_ns == 0) {
        return -SIGNET_E_NO_SERVICE_SECRET;
    }
    uint8_t bytes[SIGNET_KEY_SECRET_MAX];
    enum signet_key_type type = session_type(login, service);
    int err = o->env.random(o->env.arg, bytes, sizeof(bytes));
    if (err == 0) {
        err = signet_key_import(&out->session_key, type, bytes, signet_key_type_len(type), now_ns,
                                NULL);
    }
    signet_wipe(bytes, sizeof(bytes));
    if (err != 0) {
        return err;
    }
    fill_ticket(&out->ticket, login, principal, service, now_ns, ttl_ns);
    out->grant = (struct signet_grant){
        .service = service,
        .secret_id = secret->id,
        .service_secret = secret->key,
        .session_key = out->session_key,
        .ticket = &out->ticket,
        .validity = signet_utime_from_ns(ttl_ns),
    };
    return 0;
}

void login_drop_grants(struct login_grant *grants, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        signet_key_unref(grants[i].session_key);
        grants[i].session_key = NULL;
    }
}

int login_make_grants(const struct signet_login *login, const struct snapshot *now,
                      const struct principal *principal, uint32_t mask, struct login_grant *grants,
                      size_t *num)
{
    *num = 0;
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        uint32_t service = rotating_service(i);
        if (service == SIGNET_AUTH || (mask & service) == 0) {
            continue;
        }
        int err = login_make_grant(login, now, principal, service, &grants[*num]);
        if (err == 0) {
            ++*num;
        } else if (err != -SIGNET_E_NO_SERVICE_SECRET) {
            login_drop_grants(grants, *num);
            *num = 0;
            return err;
        }
    }
    return 0;
}

/* The AUTH ticket that the request presents must be this session's own. */
static int present(struct signet_login *login, const struct snapshot *now,
                   const struct signet_authorizer_parts *parts, struct signet_presented *out,
                   struct signet_fail *fail)
{
    const struct rotating_set *set = &now->rotating[rotating_index(SIGNET_AUTH)];
    const struct rotating_secret *secret = rotating_find(set, parts->ticket.secret_id);
    if (parts->service != SIGNET_AUTH) {
        return signet_fail_set(fail, -SIGNET_E_SERVICE_WRONG, "authorizer", 0,
                               "the authorizer is for service 0x%02x, not AUTH", parts->service);
    }
    if (secret == NULL) {
        return signet_fail_set(fail, -SIGNET_E_SECRET_ID, "authorizer", 0, "no AUTH secret %llu",
                               (unsigned long long)parts->ticket.secret_id);
    }
    struct signet_ticket_limits limits = login_limits(login);
    int err = signet_authorizer_open(out, parts, secret->key, &limits, fail);
    if (err == 0 && (out->info.ticket.global_id != login->global_id ||
                     signet_name_compare(&out->info.ticket.name, &login->name) != 0)) {
        signet_presented_clear(out);
        err = signet_fail_set(fail, -SIGNET_E_TICKET_NAME, "authorizer", 0,
                              "the ticket is for another entity or global_id than this session");
    }
    return err;
}

static int reply_tickets(const struct signet_login *login, const struct snapshot *now,
                         uint32_t mask, const struct signet_key *reply_key, struct login_out *out)
{
    struct login_grant grants[ROTATING_SERVICES] = {0};
    struct signet_grant plain[ROTATING_SERVICES];
    size_t num = 0, head = 0;
    const struct principal *p = keyserver_lookup(now, &login->name);
    int err =
        p != NULL ? login_make_grants(login, now, p, mask, grants, &num) : -SIGNET_E_UNKNOWN_ENTITY;
    if (err == 0 && num == 0 && (mask & ~(uint32_t)SIGNET_AUTH) != 0) {
        err = -SIGNET_E_NO_SERVICE_SECRET;
    }
    for (size_t i = 0; i < num; i++) {
        plain[i] = grants[i].grant;
    }
    struct signet_response_header header = {.type = SIGNET_GET_PRINCIPAL_SESSION_KEY};
    if (err == 0) {
        err = signet_response_header_encode(out->p, out->cap, &head, &header);
    }
    if (err == 0) {
        err = signet_ticket_reply_make(out->p + head, out->cap - head, out->len, plain, num,
                                       reply_key, NULL);
        *out->len += err == 0 ? head : 0;
    }
    for (size_t i = 0; err == 0 && i < num; i++) {
        keyserver_count(login->server, STAT_TICKET);
    }
    login_drop_grants(grants, num);
    return err;
}

int login_principal(struct signet_login *login, const struct signet_auth_request *request,
                    struct login_out *out, struct signet_fail *fail)
{
    struct signet_presented presented = {.session_key = NULL};
    signet_rcu_enter();
    const struct snapshot *now = keyserver_read(login->server);
    int err = present(login, now, &request->authorizer, &presented, fail);
    if (err == 0) {
        err = reply_tickets(login, now, request->want.keys, presented.session_key, out);
        signet_presented_clear(&presented);
        if (err != 0) {
            signet_fail_set(fail, err, "tickets", 0, "%s", signet_strerror(err));
        }
    }
    signet_rcu_leave();
    return err;
}

/* Seals the secrets of the daemon's own service to the daemon's own key. */
static int seal_rotating(const struct snapshot *now, const struct principal *p,
                         struct login_out *out)
{
    uint8_t keys[ROTATING_KEEP][SIGNET_KEY_WIRE_MAX];
    uint8_t sealed[1024];
    size_t len;
    struct signet_rotating_secrets secrets;
    int err = rotating_view(&secrets, keys, &now->rotating[rotating_index(p->name.type)]);
    if (err == 0) {
        err = signet_rotating_secrets_seal(sealed, sizeof(sealed), &len, p->key, &secrets);
    }
    signet_wipe(keys, sizeof(keys));
    struct signet_rotating_reply reply = {
        .header = {.type = SIGNET_GET_ROTATING_KEY},
        .sealed = {sealed, err == 0 ? len : 0},
    };
    return err == 0 ? signet_rotating_reply_encode(out->p, out->cap, out->len, &reply) : err;
}

int login_rotating(struct signet_login *login, struct login_out *out, struct signet_fail *fail)
{
    uint32_t daemons = SIGNET_OSD | SIGNET_MDS | SIGNET_MGR;
    if ((login->name.type & daemons) == 0) {
        return signet_fail_set(fail, -SIGNET_E_NOT_A_DAEMON, "GET_ROTATING_KEY", 0, "%s",
                               signet_strerror(SIGNET_E_NOT_A_DAEMON));
    }
    signet_rcu_enter();
    const struct snapshot *now = keyserver_read(login->server);
    const struct principal *p = keyserver_lookup(now, &login->name);
    int err = p != NULL ? seal_rotating(now, p, out) : -SIGNET_E_UNKNOWN_ENTITY;
    signet_rcu_leave();
    return err == 0 ? 0
                    : signet_fail_set(fail, err, "GET_ROTATING_KEY", 0, "%s", signet_strerror(err));
}
