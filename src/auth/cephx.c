/* SPDX-License-Identifier: MIT */
/* The public face of the structures: whole buffers instead of cursors. */
#include <signet/cephx.h>

#include <string.h>

#include "auth/wire.h"
#include "base/secret.h"

static struct signet_writer start(uint8_t *out, size_t cap, size_t *out_len)
{
    *out_len = 0;
    return out != NULL ? signet_writer_init(out, cap) : signet_writer_count();
}

static int finish(struct signet_writer *w, size_t *out_len)
{
    if (w->err != 0) {
        if (w->start != NULL) {
            signet_wipe(w->start, (size_t)w->len);
        }
        return w->err;
    }
    *out_len = (size_t)w->len;
    return 0;
}

#define WHOLE(x, name)                                                                             \
    int signet_##x##_decode(struct signet_##x *out, const uint8_t *in, size_t len,                 \
                            struct signet_fail *fail)                                              \
    {                                                                                              \
        struct signet_reader r = signet_reader_init(in, len);                                      \
        memset(out, 0, sizeof(*out));                                                              \
        signet_read_##x(&r, out);                                                                  \
        int err = signet_wire_report(&r, fail, name);                                              \
        if (err != 0) {                                                                            \
            memset(out, 0, sizeof(*out));                                                          \
        }                                                                                          \
        return err;                                                                                \
    }                                                                                              \
    int signet_##x##_encode(uint8_t *out, size_t cap, size_t *out_len,                             \
                            const struct signet_##x *in)                                           \
    {                                                                                              \
        struct signet_writer w = start(out, cap, out_len);                                         \
        signet_write_##x(&w, in);                                                                  \
        return finish(&w, out_len);                                                                \
    }

WHOLE(key_view, "CryptoKey")
WHOLE(server_challenge, "CephXServerChallenge")
WHOLE(response_header, "CephXResponseHeader")
WHOLE(ticket_blob, "CephXTicketBlob")
WHOLE(service_ticket, "CephXServiceTicket")
WHOLE(auth_caps, "AuthCapsInfo")
WHOLE(auth_ticket, "AuthTicket")
WHOLE(service_ticket_info, "CephXServiceTicketInfo")
WHOLE(expiring_key, "ExpiringCryptoKey")
WHOLE(rotating_secrets, "RotatingSecrets")
WHOLE(connection_secret, "connection secret")
WHOLE(wrapped_blob, "wrapped CephXTicketBlob")
WHOLE(authorize, "CephXAuthorize")
WHOLE(authorize_challenge, "CephXAuthorizeChallenge")
WHOLE(authorize_reply, "CephXAuthorizeReply")
WHOLE(auth_start, "first auth payload")
WHOLE(auth_start_v1, "first MAuth payload")
WHOLE(authorizer_parts, "authorizer")
WHOLE(authenticate, "CephXAuthenticate")
WHOLE(service_ticket_request, "CephXServiceTicketRequest")
WHOLE(auth_request, "cephx request")
WHOLE(ticket_reply, "ticket reply")
WHOLE(session_reply, "auth session key reply")
WHOLE(principal_reply, "service ticket reply")
WHOLE(rotating_reply, "rotating key reply")
WHOLE(sealed, "sealed part")
WHOLE(mauth, "MAuth")
WHOLE(mauth_reply, "MAuthReply")
