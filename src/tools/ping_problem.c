/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ping.h"

/* Skew from which daemons may refuse tickets, or clients renew them at the wrong time. */
static const double skew_limit_s = 60;

/* Where the peer is asked for what it is, be it Ceph's or signetd. */
#define CTL_STATUS " (of signetd: 'signetd ctl status')"
#define MON_DUMP   "'ceph mon dump'" CTL_STATUS
#define OSD_DUMP   "'ceph osd dump'" CTL_STATUS
#define AUTH_GET   "'ceph auth get NAME', which signetd answers too"
#define HEALTH     "look at 'ceph -s'" CTL_STATUS " and at the daemon's log"

struct advice {
    int err;
    const char *what; /* with one %s for the peer */
    const char *cause[4], *next;
};

/* Failures whose meaning does not depend on how far the connection came. */
static const struct advice advice[] = {
    {SIGNET_E_CONNECT_REFUSED,
     "nobody listens at %s (connection refused)",
     {"the daemon is not running",
      "it listens at another port or address: monitors use 3300 for v2 and 6789 for v1"},
     "compare with 'ss -ltn' on that host and with mon_host in its ceph.conf" CTL_STATUS},
    {SIGNET_E_UNREACHABLE,
     "there is no way to %s (host or network unreachable)",
     {"the address is wrong", "a route, an interface or a link is down"},
     "try 'ip route get ADDRESS'"},
    {SIGNET_E_TIMEOUT,
     "%s did not answer in time (no connection)",
     {"a firewall drops the packets", "the host is down", "the address is wrong"},
     "check the host and the firewall, or raise --timeout"},
    {SIGNET_E_MSGR1_PEER,
     "%s speaks msgr1, the old messenger, and no msgr2",
     {"this is the monitor's v1 address (usually port 6789); v2 is usually at port 3300",
      "the cluster was never switched to msgr2 ('ceph mon enable-msgr2')",
      "ms_bind_msgr2 is false there"},
     "use the v2: address of " MON_DUMP},
    {SIGNET_E_MSGR20_PEER,
     "%s speaks msgr2.0, which is not safe; msgr2.1 is required",
     {"it is older than Ceph 14.2.11 or 15.2.5"},
     "upgrade that daemon"},
    {SIGNET_E_NOT_CEPH,
     "%s is not a Ceph port: what answers there does not speak Ceph's protocol",
     {"the port belongs to another service", "the address is wrong"},
     "use the v2: address of " MON_DUMP},
    {SIGNET_E_BANNER,
     "%s sent a banner that is damaged",
     {"the port belongs to another service", "something on the way changes the data"},
     "use the v2: address of " MON_DUMP},
    {SIGNET_E_BANNER_FEATURES,
     "%s requires a messenger feature that is not known here",
     {"it is a much newer release"},
     "look at the daemon's release with 'ceph versions'" CTL_STATUS},
    {SIGNET_E_AUTH_SIGNATURE,
     "the signature of %s over the handshake is wrong",
     {"something on the way changed the handshake (an attack, or a broken proxy)",
      "the peer has another session key"},
     "record both directions and run 'signet decode' on them"},
    {SIGNET_E_PEER_ADDR,
     "%s is reached, but says that it has another address",
     {"a NAT, a port forward or a proxy is between", "the address was reused by another daemon"},
     "use the address of 'ceph mon dump' or " OSD_DUMP},
    {SIGNET_E_MISSING_FEATURES,
     "%s needs connection features that this client does not have",
     {"it is a much newer release"},
     "see the daemon's log for the features"},
    {SIGNET_E_PEER_FEATURES,
     "%s lacks connection features that this client needs",
     {"it is a release before Nautilus"},
     "upgrade that daemon"},
    {SIGNET_E_KEEPALIVE_TIMEOUT,
     "%s does not answer keepalives any more",
     {"the daemon hangs or is overloaded", "the network broke down"},
     "look at the daemon's log, or raise --timeout"},
    {SIGNET_E_WEAK_SESSION_KEY,
     "%s gave an aes session key to an aes256k entity",
     {"somebody on the way tries a downgrade", "the server is not what it says"},
     "look at auth_service_cipher in 'ceph mon dump' (of signetd: its --service-cipher)"},
    {SIGNET_E_NO_TICKET,
     "the monitor gave no usable ticket for %s",
     {"the entity has no capabilities for this service", "the ticket expired meanwhile"},
     "compare its capabilities: " AUTH_GET},
    {SIGNET_E_MODE_NOT_OFFERED,
     "%s chose a connection mode that was not offered",
     {"the server is broken or hostile"},
     "look at the daemon's log"},
    {SIGNET_E_OPEN,
     "the answer of %s does not open with our key",
     {"the server does not know this entity's secret, so it is not the one we look for",
      "the data was damaged on the way"},
     "check the address, and the key with " AUTH_GET},
    {0, NULL, {NULL}, NULL}};

/* The same for OSDs, where it differs. */
static const struct advice osd_advice[] = {
    {SIGNET_E_CONNECT_REFUSED,
     "nobody listens at %s (connection refused)",
     {"the OSD is not running", "it listens at another port: OSDs may take another at each start"},
     "compare with its v2: address in " OSD_DUMP},
    {SIGNET_E_MSGR1_PEER,
     "%s speaks msgr1, the old messenger, and no msgr2",
     {"this is the OSD's v1 address", "ms_bind_msgr2 is false there"},
     "use the v2: address of " OSD_DUMP},
    {SIGNET_E_NOT_CEPH,
     "%s is not a Ceph port: what answers there does not speak Ceph's protocol",
     {"the port belongs to another service", "the address is wrong"},
     "use the v2: address of " OSD_DUMP},
    {SIGNET_E_BANNER,
     "%s sent a banner that is damaged",
     {"the port belongs to another service", "something on the way changes the data"},
     "use the v2: address of " OSD_DUMP},
    {0, NULL, {NULL}, NULL}};

static void use(struct tool_problem *problem, const char *const cause[], size_t num,
                const char *next)
{
    for (size_t i = 0; i < num && cause[i]; i++)
        problem->cause[i] = cause[i];
    problem->next = next;
}

/* What the peer is called in messages; before it has said what it is, only its address. */
static const char *peer_text(const struct ping *ping, char *out, size_t cap)
{
    snprintf(out, cap, "%s%s",
             ping->stage <= STAGE_HELLO      ? ""
             : ping->peer_type == SIGNET_OSD ? "the OSD "
                                             : "the monitor ",
             ping->peer_text);
    return out;
}

/* A wrong key, an unknown entity and a refused cipher look alike on the wire, on purpose. */
static void denied_by_mon(const struct ping *ping, struct tool_problem *problem)
{
    if (ping->options.auth == SIGNET_AUTH_NONE) {
        tool_what(problem, "the monitor %s refused %s, without authentication", ping->peer_text,
                  ping->options.name_text);
        use(problem, NULL, 0, "look at the monitor's log");
        return;
    }
    bool aes = signet_key_type(ping->key) == SIGNET_KEY_AES;
    tool_what(problem,
              "the monitor %s refused %s: permission denied (it answers a wrong key, an unknown "
              "entity and a cipher that is not allowed all alike)",
              ping->peer_text, ping->options.name_text);
    const char *cause[] = {"the key in the keyring is not the one that the cluster has (wrong key)",
                           "the cluster does not know this entity",
                           aes ? "the key is of type aes, and auth_allowed_ciphers has only aes256k"
                               : "the cluster does not allow keys of type aes256k (aes256k needs "
                                 "Ceph 19.2.6, 20.2.4 or later)",
                           "the entity has no 'mon' capability"};
    use(problem, cause, 4,
        "on an admin host run 'ceph auth get NAME' and compare the key; for the cipher see "
        "'ceph mon dump'; the log of signetd names the cause");
}

static void denied_by_osd(const struct ping *ping, struct tool_problem *problem)
{
    if (ping->options.auth == SIGNET_AUTH_NONE) {
        tool_what(problem, "the OSD %s refused %s, without authentication", ping->peer_text,
                  ping->options.name_text);
        use(problem, NULL, 0, "look at the OSD's log");
        return;
    }
    tool_what(problem, "the OSD %s refused the ticket of %s", ping->peer_text,
              ping->options.name_text);
    const char *cause[] = {
        ping->has_skew && (ping->skew_s > skew_limit_s || ping->skew_s < -skew_limit_s)
            ? "the clocks are far off (see above)"
            : "the OSD's clock is far off, so that it has not fetched the present secrets",
        "the OSD belongs to another cluster than the monitor",
        "the OSD cannot reach the monitors, so its rotating secrets are old"};
    use(problem, cause, 3, "compare the clocks (chronyc tracking), then look at the OSD's log");
}

/* "secure crc" of the server's list. */
static void list_modes(const struct signet_u32_list *list, char *out, size_t cap)
{
    size_t len = 0;
    *out = '\0';
    for (uint32_t i = 0; i < list->num && len + 16 < cap; i++)
        len += (size_t)snprintf(out + len, cap - len, "%s%s", i ? " " : "",
                                list->v[i] == SIGNET_MODE_CRC      ? "crc"
                                : list->v[i] == SIGNET_MODE_SECURE ? "secure"
                                                                   : "unknown");
}

static void no_mode(const struct ping *ping, struct tool_problem *problem)
{
    char theirs[64], peer[SIGNET_ADDR_TEXT_MAX + 20];
    list_modes(&ping->refused.modes, theirs, sizeof(theirs));
    tool_what(problem, "no common connection mode: %s allows only '%s', and that was not offered",
              peer_text(ping, peer, sizeof(peer)), theirs);
    const char *cause[] = {"ms_mon_service_mode or ms_service_mode there, or signetd's ms-mode, "
                           "excludes the modes of --ms-mode"};
    use(problem, cause, 1,
        "try --ms-mode prefer-secure (secure where possible), or change the option of the daemon");
}

static void no_method(const struct ping *ping, struct tool_problem *problem)
{
    char peer[SIGNET_ADDR_TEXT_MAX + 20];
    peer_text(ping, peer, sizeof(peer));
    if (ping->options.auth == SIGNET_AUTH_NONE) {
        static const char *const cause[] = {"the cluster has authentication: its "
                                            "auth_service_required, or signetd's auth, is cephx"};
        tool_what(problem, "%s does not allow authentication none", peer);
        use(problem, cause, 1, "leave --auth none out, and give the entity's keyring with -k");
        return;
    }
    static const char *const cause[] = {
        "auth_service_required there, or signetd's auth, is none: it authenticates nobody",
        "the server is not the one you look for"};
    tool_what(problem, "%s does not allow cephx", peer);
    use(problem, cause, 2,
        "if this cluster is meant to be open to everybody, add --auth none --ms-mode crc");
}

/* The peer went away or fell silent without saying why. */
static void lost(const struct ping *ping, bool silent, struct tool_problem *problem)
{
    static const char *const step[] = {"before it was there",
                                       "before its banner",
                                       "before its HELLO",
                                       "during the login",
                                       "when the session was to begin",
                                       "in the open session"};
    static const char *const early[] = {"the port is not a Ceph port",
                                        "the daemon is starting, hanging or overloaded"};
    static const char *const login[] = {
        "the monitor is not in quorum (it then drops logins without an answer)",
        "the daemon is overloaded or is being stopped"};
    static const char *const open[] = {"the daemon was stopped, or has crashed",
                                       "something on the way cuts connections"};
    static const char *const ident[] = {
        "the address is not exactly the daemon's own: for an OSD the nonce counts too",
        "the daemon is being stopped"};
    char peer[SIGNET_ADDR_TEXT_MAX + 20];
    peer_text(ping, peer, sizeof(peer));
    if (silent)
        tool_what(problem, "%s went silent %s: no answer for %.1f s (time-out)", peer,
                  step[ping->stage], (double)ping->options.timeout_ns / 1e9);
    else
        tool_what(problem, "%s closed the connection %s", peer, step[ping->stage]);
    if (ping->stage <= STAGE_HELLO)
        use(problem, ping->stage == STAGE_HELLO ? early + 1 : early,
            ping->stage == STAGE_HELLO ? 1 : 2,
            ping->peer_type == SIGNET_OSD
                ? "use the v2: address of " OSD_DUMP ", or raise --timeout"
                : "use the v2: address of " MON_DUMP ", or raise --timeout");
    else if (ping->stage == STAGE_SESSION && ping->peer_type == SIGNET_OSD)
        use(problem, ident, 2, "take the address with its nonce from " OSD_DUMP);
    else if (ping->stage == STAGE_OPEN)
        use(problem, open, 2, HEALTH);
    else
        use(problem, login, 2, HEALTH);
}

static void wrong_type(const struct ping *ping, struct tool_problem *problem)
{
    const char *want = ping->peer_type == SIGNET_OSD ? "an OSD" : "a monitor";
    tool_what(problem, "%s is a Ceph daemon, but not %s", ping->peer_text, want);
    const char *cause[] = {"the port is that of another daemon"};
    use(problem, cause, 1,
        ping->peer_type == SIGNET_OSD ? "take the address from " OSD_DUMP
                                      : "take the address from " MON_DUMP);
}

/* Not even tried: the address itself says so. */
static void only_v1(const struct ping *ping, struct tool_problem *problem)
{
    static const char *const cause[] = {"mon_host or -m has only the v1: address"};
    tool_what(problem, "%s is an address of msgr1, the old messenger, which is not spoken here",
              ping->peer_text);
    use(problem, cause, 1, "use the v2: address of " MON_DUMP ", usually at port 3300");
}

static bool by_table(const struct ping *ping, const struct advice *table, int err,
                     struct tool_problem *problem)
{
    char peer[SIGNET_ADDR_TEXT_MAX + 20];
    for (const struct advice *a = table; a->what; a++) {
        if (a->err != -err)
            continue;
        const char *split = strstr(a->what, "%s");
        tool_what(problem, "%.*s%s%s", (int)(split - a->what), a->what,
                  peer_text(ping, peer, sizeof(peer)), split + 2);
        use(problem, a->cause, 4, a->next);
        return true;
    }
    return false;
}

void ping_problem(const struct ping *ping, int err, const struct signet_fail *fail,
                  struct tool_problem *problem)
{
    char peer[SIGNET_ADDR_TEXT_MAX + 20];
    problem->err = err;
    switch (-err) {
    case SIGNET_E_AUTH_DENIED:
        if (ping->peer_type == SIGNET_OSD)
            denied_by_osd(ping, problem);
        else
            denied_by_mon(ping, problem);
        return;
    case SIGNET_E_AUTH_MODE:
        no_mode(ping, problem);
        return;
    case SIGNET_E_AUTH_METHOD:
        no_method(ping, problem);
        return;
    case SIGNET_E_PEER_CLOSED:
    case SIGNET_E_HANDSHAKE_TIMEOUT:
        lost(ping, err == -SIGNET_E_HANDSHAKE_TIMEOUT, problem);
        return;
    case SIGNET_E_MSGR1_PEER:
        if (ping->stage == STAGE_CONNECT) {
            only_v1(ping, problem);
            return;
        }
        break;
    case SIGNET_E_PEER_TYPE:
        wrong_type(ping, problem);
        return;
    default:
        break;
    }
    if (ping->peer_type == SIGNET_OSD && by_table(ping, osd_advice, err, problem))
        return;
    if (by_table(ping, advice, err, problem))
        return;
    tool_what(problem, "%s: %s%s%s%s", peer_text(ping, peer, sizeof(peer)), signet_strerror(err),
              fail->text[0] ? " (" : "", fail->text, fail->text[0] ? ")" : "");
    problem->cause[0] = "the daemon is of a release that behaves differently, or is broken";
    problem->next = "record both directions and run 'signet decode' on them";
}

bool ping_clock_problem(const struct ping *ping, struct tool_problem *problem)
{
    double off = ping->skew_s < 0 ? -ping->skew_s : ping->skew_s;
    if (!ping->has_skew || off < skew_limit_s)
        return false;
    tool_what(problem, "warning: the clocks are far off: the monitor's is %.0f s %s ours", off,
              ping->skew_s < 0 ? "behind" : "ahead of");
    problem->cause[0] = "one of both hosts has no time synchronisation";
    problem->next = "compare 'date -u' on both hosts, then start chrony or ntpd: daemons refuse "
                    "tickets when their clocks differ too much";
    return true;
}
