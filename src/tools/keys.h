/* SPDX-License-Identifier: MIT */
/*
 * The secrets that a recorded session is opened with: those of entities, the
 * rotating ones of services, and the session keys found on the way.
 */
#ifndef SIGNET_TOOLS_KEYS_H
#define SIGNET_TOOLS_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include <signet/key.h>
#include <signet/name.h>

struct tool_keys;

/* From a keyring, or from JSON of the form
 *   {"entities": {"type.id": KEY}, "rotating": {"service": {"secret_id": KEY}}}
 * with keys in base64. 0 or -SIGNET_E_x with the cause in fail. */
SIGNET_MUST int tool_keys_parse(struct tool_keys **out, const char *text, size_t len,
                                struct signet_fail *fail);
/* The same from a file; -FILE. */
SIGNET_MUST int tool_keys_load(struct tool_keys **out, const char *path, struct signet_fail *fail);
void tool_keys_free(struct tool_keys *keys);

/* Views that live as long as the keys; NULL when it is not there. */
const struct signet_key *tool_keys_entity(const struct tool_keys *keys,
                                          const struct signet_name *name);
/* The secret that seals tickets of a service; id UINT64_MAX: the secret of "<service>." itself. */
const struct signet_key *tool_keys_rotating(const struct tool_keys *keys, uint32_t service,
                                            uint64_t id);
/* Remembers the session key that a ticket carries; takes a reference. -NOMEM. */
SIGNET_MUST int tool_keys_learn(struct tool_keys *keys, const uint8_t *ticket, size_t len,
                                struct signet_key *session);
/* The session key learned for exactly this sealed ticket. */
const struct signet_key *tool_keys_learned(const struct tool_keys *keys, const uint8_t *ticket,
                                           size_t len);

#endif
