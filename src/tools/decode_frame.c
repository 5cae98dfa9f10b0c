/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <signet/client.h>
#include <signet/name.h>

#include "decode.h"

/* The crc layout's epilogue has 13 bytes, of which no crc covers the status and the fields of
 * segments that are not there; the reader may be lenient with them, this tool is not. */
static void check_epilogue(struct report *report, const struct signet_frame_view *view,
                           const uint8_t *raw)
{
    const uint8_t *epilogue = raw + view->len - 13;
    bool unused_zero = true;
    for (unsigned i = view->num_segments; i < SIGNET_SEGMENTS_MAX; i++)
        for (unsigned j = 0; j < 4; j++)
            unused_zero &= epilogue[1 + 4 * (i - 1) + j] == 0;
    report_verify(report, CHECK_epilogue,
                  (epilogue[0] == 0x0e || (view->aborted && epilogue[0] == 0x01)) && unused_zero,
                  "the status is 0x%02x, and fields of missing segments are %szero", epilogue[0],
                  unused_zero ? "" : "not ");
}

void decode_frame_checks(struct report *report, const struct signet_frame_view *view,
                         const uint8_t *raw)
{
    uint32_t len[SIGNET_SEGMENTS_MAX] = {0};
    unsigned filled = 0;
    for (unsigned i = 0; i < view->num_segments; i++) {
        len[i] = (uint32_t)view->segment[i].len;
        filled += len[i] > 0;
    }
    report_count(report, CHECK_preamble_crc, 1);
    report_count(report, CHECK_shape, 1);
    if (view->secure) {
        report_count(report, CHECK_gcm_tag, signet_frame_nonces(len));
        report_count(report, CHECK_padding, 1);
    } else {
        report_count(report, CHECK_segment_crc, filled);
        if (view->num_segments > 1)
            check_epilogue(report, view, raw);
    }
}

static enum tool_check failed_check(int err)
{
    switch (-err) {
    case SIGNET_E_PREAMBLE_CRC:
        return CHECK_preamble_crc;
    case SIGNET_E_SEGMENT_CRC:
        return CHECK_segment_crc;
    case SIGNET_E_OPEN:
        return CHECK_gcm_tag;
    case SIGNET_E_PADDING:
        return CHECK_padding;
    case SIGNET_E_LATE_STATUS:
        return CHECK_epilogue;
    default:
        return CHECK_shape;
    }
}

void decode_frame_failure(struct report *report, int err, const struct signet_fail *fail)
{
    report_check(report, failed_check(err), OUTCOME_FAILED, "%s: %s", signet_err_name(err),
                 fail->text[0] ? fail->text : signet_strerror(err));
}

static void addr_field(struct report *report, const char *name, const struct signet_addr *addr)
{
    char text[SIGNET_ADDR_TEXT_MAX];
    report_text(report, name, "%s", signet_addr_print(addr, text));
}

static void addrs_field(struct report *report, const struct signet_addrvec *vec)
{
    char text[SIGNET_ADDRVEC_MAX * (SIGNET_ADDR_TEXT_MAX + 1)] = "", one[SIGNET_ADDR_TEXT_MAX];
    size_t len = 0;
    for (uint32_t i = 0; i < vec->num; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? "," : "",
                                signet_addr_print(&vec->addr[i], one));
    report_text(report, "addrs", "[%s]", text);
}

static void list_field(struct report *report, const char *name, const struct signet_u32_list *list,
                       const char *(*value_name)(uint32_t))
{
    char text[SIGNET_LIST_MAX * 12 + 1] = "";
    size_t len = 0;
    for (uint32_t i = 0; i < list->num; i++) {
        const char *known = value_name(list->v[i]);
        len +=
            (size_t)(known ? snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "", known)
                           : snprintf(text + len, sizeof(text) - len, "%s%" PRIu32, i ? " " : "",
                                      list->v[i]));
    }
    report_text(report, name, "%s", text);
}

static const char *mode_name(uint32_t mode)
{
    return mode == SIGNET_MODE_CRC ? "crc" : mode == SIGNET_MODE_SECURE ? "secure" : NULL;
}

static const char *method_name(uint32_t method)
{
    return method == SIGNET_AUTH_NONE ? "none" : method == SIGNET_AUTH_CEPHX ? "cephx" : NULL;
}

static const char *no_name(uint32_t value)
{
    (void)value;
    return NULL;
}

static void ident_fields(struct report *report, const struct signet_ident *ident, bool client)
{
    addrs_field(report, &ident->addrs);
    if (client)
        addr_field(report, "target", &ident->target);
    report_signed(report, "gid", ident->gid);
    report_number(report, "global_seq", ident->global_seq);
    report_hex(report, "features_supported", ident->supported);
    report_hex(report, "features_required", ident->required);
    report_text(report, "flags", "0x%" PRIx64 "%s", ident->flags,
                ident->flags & SIGNET_IDENT_LOSSY ? " (lossy)" : "");
    report_hex(report, "cookie", ident->cookie);
}

static void reconnect_fields(struct report *report, const struct signet_reconnect *reconnect)
{
    addrs_field(report, &reconnect->addrs);
    report_hex(report, "client_cookie", reconnect->client_cookie);
    report_hex(report, "server_cookie", reconnect->server_cookie);
    report_number(report, "global_seq", reconnect->global_seq);
    report_number(report, "connect_seq", reconnect->connect_seq);
    report_number(report, "msg_seq", reconnect->msg_seq);
}

static void hello_fields(struct report *report, const struct signet_hello *hello)
{
    const char *type = signet_service_name(hello->entity_type);
    if (type)
        report_text(report, "entity_type", "%s", type);
    else
        report_number(report, "entity_type", hello->entity_type);
    addr_field(report, "peer", &hello->peer);
}

static void auth_fields(struct report *report, const struct signet_control *control)
{
    uint32_t method = control->tag == SIGNET_TAG_AUTH_REQUEST ? control->auth_request.method
                                                              : control->bad_method.method;
    if (method_name(method))
        report_text(report, "method", "%s", method_name(method));
    else
        report_number(report, "method", method);
    if (control->tag == SIGNET_TAG_AUTH_REQUEST) {
        list_field(report, "modes", &control->auth_request.modes, mode_name);
        return;
    }
    report_text(report, "result", "%" PRId32 " (%s)", control->bad_method.result,
                strerrordesc_np(-control->bad_method.result)
                    ? strerrordesc_np(-control->bad_method.result)
                    : "unknown");
    list_field(report, "allowed_methods", &control->bad_method.methods, method_name);
    list_field(report, "allowed_modes", &control->bad_method.modes, mode_name);
}

static void done_fields(struct report *report, const struct signet_auth_done *done)
{
    report_number(report, "global_id", done->global_id);
    if (mode_name(done->con_mode))
        report_text(report, "mode", "%s", mode_name(done->con_mode));
    else
        report_number(report, "mode", done->con_mode);
}

static const char *value_field(uint8_t tag)
{
    switch (tag) {
    case SIGNET_TAG_SESSION_RETRY:
        return "connect_seq";
    case SIGNET_TAG_SESSION_RETRY_GLOBAL:
        return "global_seq";
    case SIGNET_TAG_SESSION_RECONNECT_OK:
        return "msg_seq";
    default:
        return "seq";
    }
}

void decode_control_fields(struct report *report, const struct signet_control *control)
{
    switch (control->tag) {
    case SIGNET_TAG_HELLO:
        hello_fields(report, &control->hello);
        break;
    case SIGNET_TAG_AUTH_REQUEST:
    case SIGNET_TAG_AUTH_BAD_METHOD:
        auth_fields(report, control);
        break;
    case SIGNET_TAG_AUTH_DONE:
        done_fields(report, &control->done);
        break;
    case SIGNET_TAG_CLIENT_IDENT:
    case SIGNET_TAG_SERVER_IDENT:
        ident_fields(report, &control->ident, control->tag == SIGNET_TAG_CLIENT_IDENT);
        break;
    case SIGNET_TAG_IDENT_MISSING_FEATURES:
        report_hex(report, "missing", control->value);
        break;
    case SIGNET_TAG_SESSION_RECONNECT:
        reconnect_fields(report, &control->reconnect);
        break;
    case SIGNET_TAG_SESSION_RESET:
        report_number(report, "full", control->full);
        break;
    case SIGNET_TAG_SESSION_RETRY:
    case SIGNET_TAG_SESSION_RETRY_GLOBAL:
    case SIGNET_TAG_SESSION_RECONNECT_OK:
    case SIGNET_TAG_ACK:
        report_number(report, value_field(control->tag), control->value);
        break;
    case SIGNET_TAG_KEEPALIVE2:
    case SIGNET_TAG_KEEPALIVE2_ACK:
        report_time(report, "stamp", control->stamp.sec, control->stamp.nsec);
        break;
    case SIGNET_TAG_COMPRESSION_REQUEST:
    case SIGNET_TAG_COMPRESSION_DONE:
        report_number(report, "is_compress", control->compression.is_compress);
        list_field(report, "methods", &control->compression.methods, no_name);
        break;
    default:
        break;
    }
}

/* The messages that a recorded login usually has. */
static const char *message_name(uint16_t type)
{
    static const struct {
        uint16_t type;
        const char *name;
    } names[] = {{4, "mon_map"},
                 {5, "mon_get_map"},
                 {15, "mon_subscribe"},
                 {17, "auth"},
                 {18, "auth_reply"},
                 {19, "mon_get_version"},
                 {20, "mon_get_version_reply"},
                 {41, "osd_map"},
                 {42, "osd_op"},
                 {43, "osd_opreply"},
                 {50, "mon_command"},
                 {51, "mon_command_ack"},
                 {52, "log"},
                 {62, "config"},
                 {70, "osd_ping"},
                 {71, "osd_boot"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].type == type)
            return names[i].name;
    return NULL;
}

void decode_message_fields(struct report *report, const struct signet_message *message)
{
    const char *name = message_name(message->type);
    report_text(report, "type", name ? "%" PRIu16 " (%s)" : "%" PRIu16, message->type, name);
    report_number(report, "seq", message->seq);
    report_number(report, "tid", message->tid);
    report_number(report, "ack_seq", message->ack_seq);
    report_number(report, "version", message->version);
    report_text(report, "parts", "front %zu, middle %zu, data %zu bytes", message->front.len,
                message->middle.len, message->data.len);
    report_dump(report, "front", message->front.p, message->front.len);
    report_dump(report, "middle", message->middle.p, message->middle.len);
    report_dump(report, "data", message->data.p, message->data.len);
}
