/* SPDX-License-Identifier: MIT */
/*
 * Errors. Every function of signet that can fail returns 0 or -SIGNET_E_x.
 * One table holds each cause with its errno, its group and its text. Inside a
 * program each cause keeps its own code; what is shown to a peer is decided by
 * the protocol code and is never more than Ceph itself shows.
 */
#ifndef SIGNET_ERROR_H
#define SIGNET_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Groups: USAGE (the caller), RESOURCE (memory, random, files), FORMAT (bytes or
 * text that do not decode), CRYPTO (handlers and keys), AUTH (cephx), PROTOCOL
 * (msgr), IO (sockets). X(name, errno, group, text). New codes go to the end of
 * the section of their room; the numbers are not part of the ABI, the names are. */
#define SIGNET_ERRORS(X)                                                                           \
    /* base */                                                                                     \
    X(INVAL, EINVAL, USAGE, "invalid argument")                                                    \
    X(STATE, EINVAL, USAGE, "this call is not allowed in the present state")                       \
    X(SPACE, ENOBUFS, USAGE, "the output buffer is too small")                                     \
    X(NOMEM, ENOMEM, RESOURCE, "out of memory")                                                    \
    X(RANDOM, EIO, RESOURCE, "the system's random generator failed")                               \
    X(FILE, EIO, RESOURCE, "a file could not be read or written")                                  \
    X(NOT_FOUND, ENOENT, USAGE, "there is no such entry")                                          \
    X(SHORT, EBADMSG, FORMAT, "the input ends before the structure does")                          \
    X(TRAILING, EBADMSG, FORMAT, "bytes follow the end of the structure")                          \
    X(LENGTH, EBADMSG, FORMAT, "a length field is larger than what follows it or than its limit")  \
    X(COUNT, EBADMSG, FORMAT, "an element count is larger than what follows it or than its limit") \
    X(VERSION, EBADMSG, FORMAT, "a structure has a version that is not known")                     \
    X(VALUE, EBADMSG, FORMAT, "a field has a value that is not allowed")                           \
    X(BASE64, EINVAL, FORMAT, "the text is not valid base64")                                      \
    /* crypto */                                                                                   \
    X(KEY_TYPE, EOPNOTSUPP, CRYPTO, "the key has a type that is not known")                        \
    X(KEY_LENGTH, EINVAL, CRYPTO, "the secret has the wrong length for its key type")              \
    X(KEY_TRAILING, EINVAL, CRYPTO, "bytes follow the end of the key")                             \
    X(KEY_EMPTY, EINVAL, CRYPTO, "the key is empty and cannot be used")                            \
    X(USAGE, EINVAL, USAGE, "the usage number is not known")                                       \
    X(OPEN, EPERM, CRYPTO, "the sealed data does not open")                                        \
    X(HANDLER_UNKNOWN, ENOENT, USAGE, "there is no handler of this name")                          \
    X(HANDLER_REFUSED, EACCES, CRYPTO, "the handler failed its self-test and is refused")          \
    X(HANDLER_FIPS, EACCES, CRYPTO, "the handler's library is in FIPS mode and refuses the key")   \
    X(HANDLER_FAILED, EIO, CRYPTO, "the handler's library reported a failure")                     \
    X(NONCES_SPENT, EPROTO, CRYPTO, "the nonces of this stream are used up")                       \
    X(ABANDONED, EPROTO, CRYPTO, "a reserved sequence number was abandoned")                       \
    /* auth */                                                                                     \
    X(NAME, EINVAL, FORMAT, "the text is not an entity name of the form type.id")                  \
    X(NO_TICKET, ENOENT, AUTH, "there is no usable ticket for this service")                       \
    X(KEYRING, EIO, FORMAT, "the text does not follow the grammar of a keyring")                   \
    X(KEYRING_SIZE, EFBIG, FORMAT, "the file is larger than a keyring may be")                     \
    X(CAPS, EINVAL, USAGE, "a keyring file cannot hold this capability")                           \
    X(CHALLENGE_ZERO, EPERM, AUTH, "the server challenge is zero")                                 \
    X(SECOND_CHALLENGE, EPERM, AUTH, "a second challenge on one connection")                       \
    X(PROTOCOL_MISMATCH, EINVAL, AUTH, "the reply is for another authentication method than ours") \
    X(RESULT, EACCES, AUTH, "the peer refused the authentication")                                 \
    X(RESULT_POSITIVE, EINVAL, AUTH, "the reply has a positive result")                            \
    X(GLOBAL_ID_ZERO, EINVAL, AUTH, "the global_id is zero")                                       \
    X(GLOBAL_ID_WRONG, EINVAL, AUTH, "the reply is for another global_id than ours")               \
    X(REPLY_TYPE, EINVAL, AUTH, "the reply answers another request than the one sent")             \
    X(CON_MODE, EINVAL, AUTH, "the connection mode is neither crc nor secure")                     \
    X(TICKET_MISSING, EINVAL, AUTH, "the reply lacks the AUTH ticket")                             \
    X(TICKET_TWICE, EINVAL, AUTH, "the reply has two tickets for one service")                     \
    X(TICKET_EMPTY, EINVAL, AUTH, "the reply has a ticket without content")                        \
    X(TICKET_ENC_MISSING, EINVAL, AUTH,                                                            \
      "the new ticket of a reclaimed global_id is not sealed to us")                               \
    X(TICKET_ENC_UNEXPECTED, EINVAL, AUTH, "a ticket is sealed with a key that we never had")      \
    X(TICKET_VALIDITY, EINVAL, AUTH, "a ticket is granted for no time or for an absurd time")      \
    X(NONCE_WRONG, EPERM, AUTH, "the peer did not prove that it holds the ticket's key")           \
    X(SECRET_MISSING, EPERM, AUTH, "secure mode without a connection secret")                      \
    X(SECRET_LENGTH, EPERM, AUTH, "the connection secret has the wrong length")                    \
    X(WEAK_SESSION_KEY, EPERM, AUTH, "a type 1 session key where type 2 is demanded")              \
    X(PROOF_WRONG, EACCES, AUTH, "the proof of the secret is wrong")                               \
    X(CHALLENGE_MISSING, EACCES, AUTH, "the authorizer does not answer the challenge")             \
    X(CHALLENGE_WRONG, EACCES, AUTH, "the authorizer answers another challenge")                   \
    X(TICKET_GLOBAL_ID, EACCES, AUTH, "the ticket is for another global_id")                       \
    X(TICKET_ALLOW_ALL, EACCES, AUTH, "the ticket claims to allow everything")                     \
    X(TICKET_AUID, EACCES, AUTH, "the ticket has a user number")                                   \
    X(TICKET_TIME, EACCES, AUTH, "the ticket has a time that is none")                             \
    X(TICKET_FUTURE, EACCES, AUTH, "the ticket was made in the future")                            \
    X(TICKET_EXPIRED, EACCES, AUTH, "the ticket is expired")                                       \
    X(TICKET_LIFETIME, EACCES, AUTH, "the ticket lives longer than its secret allows")             \
    X(TICKET_KEY_TIME, EACCES, AUTH, "the session key was not made with its ticket")               \
    X(TICKET_KEY_TYPE, EACCES, AUTH,                                                               \
      "the session key of the ticket has a type that is not allowed")                              \
    X(TICKET_CAPS, EACCES, AUTH, "the ticket has malformed capabilities")                          \
    X(STATE_FILE, EINVAL, FORMAT, "the state file is damaged")                                     \
    X(STATE_MODE, EACCES, USAGE, "the state file may be read by others")                           \
    X(CIPHER, EACCES, AUTH, "keys of this type are not allowed")                                   \
    X(UNKNOWN_ENTITY, EACCES, AUTH, "there is no such entity")                                     \
    X(NO_SERVICE_SECRET, EIO, AUTH, "there is no secret for tickets of this service")              \
    X(SECRET_ID, EACCES, AUTH, "the ticket is sealed with a secret that is not known")             \
    X(NO_MON_CAPS, EACCES, AUTH, "the entity has no capabilities for the monitor")                 \
    X(OLD_TICKET_UNWANTED, EINVAL, AUTH, "an old ticket came with a new global_id")                \
    X(RECLAIM, EACCES, AUTH, "a global_id is claimed without its ticket")                          \
    X(SERVICE_WRONG, EACCES, AUTH, "the authorizer is for another service")                        \
    X(NOT_A_DAEMON, EACCES, AUTH, "rotating secrets are for daemons only")                         \
    X(REQUEST_TYPE, EINVAL, AUTH, "the request has a type that is not known")                      \
    X(LOGIN_STEP, EACCES, AUTH, "the request does not fit the step of the login")                  \
    X(TICKET_NAME, EACCES, AUTH, "the ticket is for another entity than the session's")            \
    X(NONE_SECURE, EINVAL, USAGE,                                                                  \
      "secure mode needs cephx: without authentication there is no key")                           \
    /* msg */                                                                                      \
    X(ADDR, EINVAL, FORMAT, "the text is not an address")                                          \
    X(MSGR1_PEER, EPROTO, PROTOCOL, "the peer speaks the old messenger, msgr1")                    \
    X(MSGR20_PEER, EPROTO, PROTOCOL, "the peer speaks msgr2.0 only, not msgr2.1")                  \
    X(NOT_CEPH, EPROTO, PROTOCOL, "the peer does not speak a Ceph protocol")                       \
    X(BANNER, EPROTO, PROTOCOL, "the banner has a wrong length")                                   \
    X(BANNER_FEATURES, EPROTO, PROTOCOL,                                                           \
      "one side lacks a messenger feature that the other requires")                                \
    X(PREAMBLE_CRC, EBADMSG, PROTOCOL, "the crc of a preamble is wrong")                           \
    X(SEGMENT_CRC, EBADMSG, PROTOCOL, "the crc of a segment is wrong")                             \
    X(TAG, EBADMSG, PROTOCOL, "the tag of a frame is not known")                                   \
    X(SEGMENTS, EBADMSG, PROTOCOL,                                                                 \
      "a frame has segments that its tag or the format does not allow")                            \
    X(FRAME_FLAGS, EBADMSG, PROTOCOL, "a frame has flags that were not negotiated")                \
    X(FRAME_LIMIT, EMSGSIZE, PROTOCOL, "a segment is longer than its limit")                       \
    X(MESSAGE_SHORT, EBADMSG, PROTOCOL, "a message frame is too short for its header")             \
    X(LATE_STATUS, EBADMSG, PROTOCOL, "the status at the end of a frame has no meaning")           \
    X(PADDING, EBADMSG, PROTOCOL, "the padding of a frame is not zero")                            \
    X(CONN_SECRET, EPROTO, PROTOCOL, "the connection secret is missing or too short")              \
    X(NONCE_CLASH, EPROTO, PROTOCOL, "the nonces of both directions could meet")                   \
    X(SIGN_MISMATCH, EBADMSG, PROTOCOL, "the signature of a message does not match")               \
    X(SIGN_OLD_FORM, EBADMSG, PROTOCOL, "the message is signed in the old, broken form")           \
    X(UNEXPECTED_TAG, EPROTO, PROTOCOL, "a frame came that is not allowed in this state")          \
    X(PREAUTH_LIMIT, EPROTO, PROTOCOL, "the peer sent too much before authentication")             \
    X(PEER_TYPE, EPROTO, PROTOCOL, "the peer is another kind of daemon than the one dialled")      \
    X(AUTH_METHOD, EOPNOTSUPP, AUTH, "the peer does not allow this authentication method")         \
    X(AUTH_MODE, EOPNOTSUPP, AUTH, "the peer allows none of the offered connection modes")         \
    X(AUTH_DENIED, EACCES, AUTH, "the peer refused the credentials")                               \
    X(MODE_NOT_OFFERED, EPROTO, PROTOCOL, "the peer chose a connection mode that was not offered") \
    X(AUTH_SIGNATURE, EPROTO, PROTOCOL, "the peer's signature of the handshake is wrong")          \
    X(MISSING_FEATURES, EPROTO, PROTOCOL, "the peer says that it needs features that are missing") \
    X(PEER_FEATURES, EPROTO, PROTOCOL, "the features of both sides do not meet")                   \
    X(PEER_ADDR, EPROTO, PROTOCOL, "the address dialled is none of the peer's addresses")          \
    X(SESSION_WAIT, EPROTO, PROTOCOL, "the peer asked to wait for its own connection")             \
    X(SEQ_GAP, EPROTO, PROTOCOL, "a message is missing")                                           \
    X(ACK_RANGE, EPROTO, PROTOCOL, "the peer acknowledged a message that was not sent")            \
    X(HANDSHAKE_TIMEOUT, ETIMEDOUT, PROTOCOL, "the handshake took too long")                       \
    X(KEEPALIVE_TIMEOUT, ETIMEDOUT, PROTOCOL, "the peer does not answer keepalives")               \
    X(PEER_CLOSED, ECONNRESET, IO, "the peer closed the connection")                               \
    X(CONNECT_REFUSED, ECONNREFUSED, IO, "nobody listens at the address")                          \
    X(UNREACHABLE, EHOSTUNREACH, IO, "the address cannot be reached")                              \
    X(TIMEOUT, ETIMEDOUT, IO, "nothing happened in time")                                          \
    X(SOCKET, EIO, IO, "a socket operation failed")                                                \
    X(RESOLVE, ENOENT, IO, "the host name cannot be resolved")                                     \
    X(RECORD_TORN, EBADMSG, FORMAT, "a record of a log ends too early")                            \
    X(RECORD_HEADER, EBADMSG, FORMAT, "the header of a record is damaged")                         \
    X(RECORD_KIND, EBADMSG, FORMAT, "a record is sealed in another way than its log")              \
    X(RECORD_SEQ, EBADMSG, FORMAT, "a record of a log is missing or comes twice")                  \
    X(RECORD_BODY, EBADMSG, CRYPTO, "a record of a log was damaged or changed")                    \
    X(SESSION_REPLACED, ECONNRESET, PROTOCOL, "the session went on with a newer connection")       \
    X(SESSION_STALE, ECONNRESET, PROTOCOL, "a newer attempt of the peer to connect is known")      \
    X(SESSION_CLOSED, EINVAL, USAGE, "the session was closed")                                     \
    X(SESSION_FULL, ENOBUFS, RESOURCE, "as many bytes wait for acknowledgement as may")            \
    X(SESSION_LIMIT, ENOBUFS, RESOURCE, "there are as many sessions as may be")                    \
    X(SESSION_RETRIES, EPROTO, PROTOCOL, "both sides do not agree on the session's numbers")       \
    X(ADDR_IN_USE, EADDRINUSE, IO, "another program listens at the address")                       \
    X(SHUTDOWN, ESHUTDOWN, IO, "the messenger shuts down")                                         \
    X(PEER_LIMIT, EAGAIN, PROTOCOL, "there are too many connections")                              \
    X(HALF_OPEN_LIMIT, EAGAIN, PROTOCOL, "too many connections are not authenticated yet")         \
    X(BUSY, EAGAIN, USAGE, "too much output waits for this peer")                                  \
    X(SESSION_CLIENT_LIMIT, ENOBUFS, RESOURCE, "this client has as many sessions as it may")       \
    X(OUTPUT_LIMIT, ENOBUFS, PROTOCOL, "the output of all peers is too large, this one's is most") \
    X(INPUT_LIMIT, ENOBUFS, PROTOCOL, "unfinished messages of all peers take too much memory")     \
    /* tools */

enum signet_err {
    SIGNET_OK = 0,
#define SIGNET_ERROR_ENUM_(name, errnum, group, text) SIGNET_E_##name,
    SIGNET_ERRORS(SIGNET_ERROR_ENUM_)
#undef SIGNET_ERROR_ENUM_
        SIGNET_E_NUM_
};

enum signet_group {
    SIGNET_GROUP_NONE = 0,
    SIGNET_GROUP_USAGE,
    SIGNET_GROUP_RESOURCE,
    SIGNET_GROUP_FORMAT,
    SIGNET_GROUP_CRYPTO,
    SIGNET_GROUP_AUTH,
    SIGNET_GROUP_PROTOCOL,
    SIGNET_GROUP_IO
};

/* Where decoding or a handshake failed. Optional out parameter of functions that
 * read outside data; all of it is set on failure and left alone on success.
 * Plain memory, nothing to free. Never holds secret bytes. */
struct signet_fail {
    int err;         /* -SIGNET_E_x, equal to what the function returned */
    uint64_t offset; /* byte offset (binary) or line number (text) of the failure */
    char where[48];  /* the structure or step, e.g. "CephXTicketBlob" */
    char text[208];  /* one sentence for a person: what was found, what was expected */
};

/* All four accept an error negative or positive, and 0; unknown numbers give
 * "unknown error", "UNKNOWN", EIO and SIGNET_GROUP_NONE. Any thread, async-signal-safe. */
SIGNET_API const char *signet_strerror(int err);
SIGNET_API const char *signet_err_name(int err); /* "KEY_LENGTH" */
SIGNET_API int signet_err_errno(int err);        /* positive errno; 0 for 0 */
SIGNET_API enum signet_group signet_err_group(int err);

#ifdef __cplusplus
}
#endif
#endif
