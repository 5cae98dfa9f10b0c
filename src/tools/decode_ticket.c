/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <signet/ticket.h>

#include "decode.h"

bool decode_structure(struct decode_auth *auth, int err, const struct signet_fail *fail)
{
    return report_verify(auth->report, CHECK_structure, err == 0, "%s: %s: %s", fail->where,
                         signet_err_name(err), fail->text);
}

void decode_set_key(struct signet_key **slot, struct signet_key *key)
{
    signet_key_unref(*slot);
    *slot = key;
}

static const char *service_text(uint32_t service)
{
    return signet_service_name(service) ? signet_service_name(service) : "unknown service";
}

static void key_fields(struct report *report, const struct signet_key_view *view)
{
    const char *type = signet_key_type_name((enum signet_key_type)view->type);
    report_text(report, "session_key_type", "%s", type ? type : "unknown");
    report_secret(report, "session_key", view->secret.p, view->secret.len);
}

/* The principal that the ticket names must be the one that logs in or presents it. */
static void check_identity(struct decode_auth *auth, const struct signet_auth_ticket *ticket)
{
    char ours[SIGNET_NAME_TEXT_MAX] = "anybody", theirs[SIGNET_NAME_TEXT_MAX];
    bool name_ok = !auth->has_name || signet_name_compare(&auth->name, &ticket->name) == 0;
    bool id_ok = !auth->has_global_id || auth->global_id == ticket->global_id;
    if (auth->has_name)
        signet_name_print(&auth->name, ours);
    report_verify(auth->report, CHECK_identity, name_ok && id_ok,
                  "the ticket is of %s, global_id %" PRIu64 "; the connection of %s, %" PRIu64,
                  signet_name_print(&ticket->name, theirs), ticket->global_id, ours,
                  auth->global_id);
}

static void ticket_fields(struct decode_auth *auth, const struct signet_service_ticket_info *info)
{
    char name[SIGNET_NAME_TEXT_MAX];
    const struct signet_auth_ticket *ticket = &info->ticket;
    signet_name_print(&ticket->name, name);
    report_enter(auth->report, "content");
    report_name_text(auth->report, "name", name, strlen(name));
    report_number(auth->report, "global_id", ticket->global_id);
    report_time(auth->report, "created", ticket->created.sec, ticket->created.nsec);
    report_time(auth->report, "expires", ticket->expires.sec, ticket->expires.nsec);
    if (ticket->caps.present)
        report_name_text(auth->report, "caps", ticket->caps.text.p, ticket->caps.text.len);
    key_fields(auth->report, &info->session_key);
    report_leave(auth->report);
}

static struct signet_key *learned_key(struct decode_auth *auth, struct signet_span sealed)
{
    const struct signet_key *learned = tool_keys_learned(auth->keys, sealed.p, sealed.len);
    return learned ? signet_key_ref((struct signet_key *)learned) : NULL;
}

/* The session key out of an opened ticket; *known (may be NULL) is what was learned before. */
static struct signet_key *opened_key(struct decode_auth *auth,
                                     const struct signet_service_ticket_info *info,
                                     const struct signet_key *known)
{
    struct signet_key *key = NULL;
    struct signet_fail fail = {.where = "session key", .text = "it cannot be used"};
    int err = signet_key_from_view(&key, &info->session_key);
    if (err)
        decode_structure(auth, err, &fail);
    else if (known)
        report_verify(auth->report, CHECK_session_key, signet_key_equal(key, known),
                      "the ticket holds another key than its owner was given");
    return key;
}

struct signet_key *decode_ticket(struct decode_auth *auth, uint32_t service,
                                 const struct signet_ticket_blob *blob)
{
    struct signet_service_ticket_info info;
    struct signet_plain plain = {0};
    struct signet_fail fail = {0};
    struct signet_key *known = learned_key(auth, blob->sealed), *key = NULL;
    const struct signet_key *secret = tool_keys_rotating(auth->keys, service, blob->secret_id);
    report_number(auth->report, "secret_id", blob->secret_id);
    report_number(auth->report, "ticket_len", blob->sealed.len);
    int err =
        secret ? signet_service_ticket_info_open(&info, &plain, secret, blob->sealed, &fail) : 0;
    if (!secret)
        report_check(auth->report, CHECK_ticket, OUTCOME_UNCHECKED,
                     "the keys file has no secret %" PRIu64 " of %s", blob->secret_id,
                     service_text(service));
    else if (err == -SIGNET_E_OPEN)
        /* What carried the ticket was intact, so the file is of another set of secrets. */
        report_check(auth->report, CHECK_ticket, OUTCOME_UNCHECKED,
                     "secret %" PRIu64 " of %s in the keys file is not the one that sealed it",
                     blob->secret_id, service_text(service));
    else if (report_verify(auth->report, CHECK_ticket, err == 0, "%s: %s", fail.where, fail.text)) {
        ticket_fields(auth, &info);
        check_identity(auth, &info.ticket);
        key = opened_key(auth, &info, known);
    }
    signet_plain_free(&plain);
    if (!key)
        return known;
    signet_key_unref(known);
    return key;
}

/* The principal's half: its session key, or NULL. */
static struct signet_key *principal_half(struct decode_auth *auth,
                                         const struct signet_ticket_entry *entry,
                                         const struct signet_key *key, const char *what)
{
    struct signet_service_ticket ticket;
    struct signet_plain plain = {0};
    struct signet_fail fail = {0};
    struct signet_key *session = NULL;
    if (!key) {
        report_check(auth->report, CHECK_service_ticket, OUTCOME_UNCHECKED, "%s is not known",
                     what);
        return NULL;
    }
    int err = signet_service_ticket_open(&ticket, &plain, key, entry->sealed, &fail);
    if (report_verify(auth->report, CHECK_service_ticket, err == 0,
                      "it does not open with %s: %s %s", what, fail.where, fail.text)) {
        report_text(auth->report, "validity", "%" PRIu32 ".%09" PRIu32 " s", ticket.validity.sec,
                    ticket.validity.nsec);
        key_fields(auth->report, &ticket.session_key);
        if (signet_key_from_view(&session, &ticket.session_key) != 0)
            session = NULL;
    }
    signet_plain_free(&plain);
    return session;
}

/* The ticket itself, out of the seal under the old session key where it has one. False when it
 * stays closed; *plain holds it otherwise. */
static bool entry_blob(struct decode_auth *auth, const struct signet_ticket_entry *entry,
                       struct signet_ticket_blob *blob, struct signet_plain *plain)
{
    struct signet_wrapped_blob wrapped;
    struct signet_fail fail = {0};
    report_number(auth->report, "ticket_enc", entry->enc);
    if (!entry->enc)
        return decode_structure(
            auth, signet_ticket_blob_decode(blob, entry->ticket.p, entry->ticket.len, &fail),
            &fail);
    if (!auth->old_session) {
        report_check(auth->report, CHECK_wrapped_ticket, OUTCOME_UNCHECKED,
                     "the session key of the old ticket is not known");
        return false;
    }
    int err = signet_wrapped_blob_open(&wrapped, plain, auth->old_session, entry->ticket, &fail);
    *blob = wrapped.blob;
    return report_verify(auth->report, CHECK_wrapped_ticket, err == 0,
                         "it does not open with the old session key: %s %s", fail.where, fail.text);
}

/* The session key by either half; a new reference or NULL. */
static struct signet_key *decode_entry(struct decode_auth *auth,
                                       const struct signet_ticket_entry *entry,
                                       const struct signet_key *key, const char *what)
{
    struct signet_plain plain = {0};
    struct signet_ticket_blob blob;
    struct signet_key *session = principal_half(auth, entry, key, what), *inner = NULL;
    if (entry_blob(auth, entry, &blob, &plain)) {
        if (session && tool_keys_learn(auth->keys, blob.sealed.p, blob.sealed.len, session) != 0)
            report_note(auth->report, "out of memory: this ticket is not remembered");
        inner = decode_ticket(auth, entry->service, &blob);
    }
    signet_plain_free(&plain);
    if (!session)
        return inner;
    signet_key_unref(inner);
    return session;
}

void decode_ticket_reply(struct decode_auth *auth, const struct signet_ticket_reply *reply,
                         const struct signet_key *key, const char *what,
                         struct signet_key **auth_session)
{
    for (uint32_t i = 0; i < reply->num; i++) {
        char name[40];
        snprintf(name, sizeof(name), "ticket for %s", service_text(reply->entry[i].service));
        report_enter(auth->report, name);
        struct signet_key *session = decode_entry(auth, &reply->entry[i], key, what);
        report_leave(auth->report);
        if (auth_session && reply->entry[i].service == SIGNET_AUTH)
            decode_set_key(auth_session, session);
        else
            signet_key_unref(session);
    }
}

bool decode_authorizer(struct decode_auth *auth, const struct signet_authorizer_parts *parts,
                       struct signet_authorize *authorize, struct signet_key **key)
{
    struct signet_plain plain = {0};
    struct signet_fail fail = {0};
    bool opened = false;
    report_enter(auth->report, "authorizer");
    report_text(auth->report, "service", "%s", service_text(parts->service));
    report_number(auth->report, "global_id", parts->global_id);
    auth->global_id = parts->global_id;
    auth->has_global_id = true;
    *key = decode_ticket(auth, parts->service, &parts->ticket);
    if (!*key) {
        report_check(auth->report, CHECK_authorizer, OUTCOME_UNCHECKED,
                     "the session key of its ticket is not known");
    } else {
        int err = signet_authorize_open(authorize, &plain, *key, parts->sealed, &fail);
        opened = report_verify(auth->report, CHECK_authorizer, err == 0,
                               "it does not open with the ticket's session key: %s %s", fail.where,
                               fail.text);
        signet_plain_free(&plain);
    }
    report_leave(auth->report);
    return opened;
}
