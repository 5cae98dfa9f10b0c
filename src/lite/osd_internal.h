/* SPDX-License-Identifier: MIT */
/* What the files of the OSD share: a request that is being answered. */
#ifndef SIGNET_LITE_OSD_INTERNAL_H
#define SIGNET_LITE_OSD_INTERNAL_H

#include <stdbool.h>

#include "base/cursor.h"
#include "lite/journal.h"
#include "lite/osd.h"
#include "lite/placement.h"

enum {
    MSG_OSD_OP = 42,
    MSG_OSD_OP_REPLY = 43,
    MSG_TELL = 97,
    MSG_TELL_REPLY = 98,
};

/* Codes of operations: mode (read 0x1000, write 0x2000), type (data 0x0200, attr 0x0300, pg
 * 0x0500), number. */
enum {
    OSD_OP_READ = 0x1201,
    OSD_OP_STAT = 0x1202,
    OSD_OP_PGNLS = 0x1505,
    OSD_OP_WRITE = 0x2201,
    OSD_OP_WRITEFULL = 0x2202,
    OSD_OP_TRUNCATE = 0x2203,
    OSD_OP_DELETE = 0x2205,
    OSD_OP_APPEND = 0x2206,
    OSD_OP_CREATE = 0x220d,
    OSD_OP_SETALLOCHINT = 0x2223,
    OSD_OP_MODE_WRITE = 0x2000,
};
enum { OSD_OP_LEN = 38, OSD_OP_EXCL = 1, OSD_OP_FAILOK = 2 };
#define OSD_HEAD   UINT64_C(0xfffffffffffffffe) /* snapid of what is not a snapshot */
#define OSD_PG_LEN 17

/* One of 38 bytes, decoded. */
struct osd_op {
    uint16_t code;
    uint32_t flags;
    uint64_t offset, length; /* of an extent; PGNLS: length is that of nothing */
    uint32_t truncate_seq;
    uint32_t payload_len;
};

/* MOSDOp; all spans are views of the message. */
struct osd_request {
    uint64_t tid;
    struct signet_span pg; /* 17 bytes, given back */
    uint64_t pool, locator_pool;
    uint32_t flags;
    struct signet_utime mtime;
    struct signet_span key, ns, name;
    uint16_t num_ops;
    const uint8_t *ops;
    uint64_t snapid;
    uint32_t num_snaps;
    uint32_t retry;
    struct signet_span data;
    bool writes;
};

/* What becomes of it: reply fields, and the results of its operations. */
struct osd_result {
    int32_t result;
    uint64_t version, user_version; /* version 0: nothing was written */
    uint16_t num_ops;
    struct {
        int32_t rval;
        uint32_t out_len;
    } op[SIGNET_OSD_OPS_MAX]; /* num_ops of them are set */
};

/* The message that is being answered. */
struct osd_call {
    struct signet_osd *osd;
    struct signet_osd_session *session;
    const struct signet_message *in;
    signet_osd_send send;
    void *arg;
    struct signet_fail *fail;
    const struct store_id *id;   /* the object; NULL: none, or several */
    struct store_object *object; /* what large pieces of the answer are views of, or NULL */
    struct osd_request request;
    struct osd_result result;
};

/* osd_request.c: 0, or the session's failure. */
int osd_request_decode(struct osd_call *call);
struct osd_op osd_op_at(const struct osd_request *request, uint32_t index);

/* osd_reply.c: all of the answer, from what the call has. */
int osd_reply(struct osd_call *call, const struct iovec *data, int num);

/* osd_hold.c: answers that tell of what is not on the disk yet, or that would overtake one about
 * the same object which waits for that. */
bool osd_must_hold(struct osd_call *call);
/* Sends it then; the session's end when flushing fails. */
int osd_hold(struct osd_call *call, const struct signet_message *out, const struct iovec *data,
             int num);
void osd_line_leave(struct osd_line *line); /* NULL is fine */

/* The operations of a request that writes, in order; 0: done, and reserved if anything changed. */
int32_t osd_change(struct store_work *work, const struct osd_request *q, struct osd_result *res);

/* osd_record.c: a request that was done, as the journal has it. */
struct osd_record {
    const struct osd_request *request;
    uint64_t global_id, version;
};
/* 0, -ENOSPC, -EIO, -ENOMEM or -E2BIG: then the journal is as it was. */
int32_t osd_record_append(struct journal *journal, const struct osd_record *record);
/* A journal_replay; arg is the osd. */
int osd_record_replay(void *arg, struct signet_span body, struct signet_fail *fail);

/* The hash of the object that a record is about; false: of none, or it does not decode. */
bool osd_record_hash(struct signet_span body, uint32_t *hash);

/* osd_journal.c: an object as it is, and what a peer has asked for, as records. */
#define OSD_KEEP_BYTES (UINT64_C(64) << 20)
int osd_put_object(void *arg, const struct store_object *o);
int osd_put_done(void *arg, uint64_t global_id, uint64_t tid, uint64_t version);
/* osd_keeper.c */
bool osd_journal_is_history(const struct signet_osd *osd, uint64_t keep);
struct osd_keeper;
bool osd_keeper_ends(const struct osd_keeper *keeper); /* it is to end soon. NULL: no */
void osd_keeper_end(struct osd_keeper *keeper);        /* NULL is fine */
/* The journal is full: it looks now, unless what it would do was of no use before. */
void osd_keeper_call(struct osd_keeper *keeper); /* NULL is fine */

/* osd_run.c, osd_read.c, osd_list.c, osd_tell.c */
int osd_run(struct osd_call *call);
int osd_run_write(struct osd_call *call, const struct store_id *id);
int osd_run_read(struct osd_call *call, const struct store_id *id);
int osd_run_list(struct osd_call *call);
int osd_tell(struct osd_call *call);
/* Nothing done yet, no operation failed. */
void osd_result_begin(struct osd_call *call, uint16_t num_ops);
/* An answer without effects and data. */
int osd_refuse(struct osd_call *call, int32_t result);
/* STAT's 16 bytes. */
enum { OSD_STAT_LEN = 16 };

/* osd_peers.c: repetitions. */
struct osd_peers *osd_peers_new(void);
void osd_peers_free(struct osd_peers *peers);
/* The record of a peer, made when it is new; NULL when out of memory. Given back with _leave. */
struct osd_peer *osd_peer_enter(struct osd_peers *peers, uint64_t global_id);
void osd_peer_leave(struct osd_peers *peers, struct osd_peer *peer);
/* The version that this write made, or 0. Called, and noted, under the write lock of the object's
 * shard: a repetition goes to the same one. */
uint64_t osd_peer_find(struct osd_peer *peer, uint64_t tid);
void osd_peer_note(struct osd_peer *peer, uint64_t tid, uint64_t version);
/* All that is known of all peers, in no order; ends with what fn returns that is not 0. With the
 * first of the two others may note more meanwhile: it is given or not. */
int osd_peers_each_live(struct osd_peers *peers,
                        int (*fn)(void *arg, uint64_t global_id, uint64_t tid, uint64_t version),
                        void *arg);
int osd_peers_each(struct osd_peers *peers,
                   int (*fn)(void *arg, uint64_t global_id, uint64_t tid, uint64_t version),
                   void *arg);

#endif
