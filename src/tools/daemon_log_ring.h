/* SPDX-License-Identifier: MIT */
/*
 * Lines on their way to a descriptor that may not take them: kept in a ring, written by a thread,
 * one write() each. Who has a line never waits for the descriptor: what finds the ring full is lost
 * and counted, and a line of its own says how many when there is room again.
 */
#ifndef SIGNET_TOOLS_DAEMON_LOG_RING_H
#define SIGNET_TOOLS_DAEMON_LOG_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon_logfmt.h"

enum { LOG_RING_LINES = 512 };

struct log_ring;

/* Makes the line that says how many were lost since the last one. False: none is written. */
typedef bool (*log_ring_tell)(void *arg, uint64_t lost, struct logfmt *line);

/* NULL: no memory, or no thread. The thread takes no signals but those of faults. */
struct log_ring *log_ring_start(int fd, log_ring_tell tell, void *arg);
/* Any thread. False: it is full, and the line is lost. */
bool log_ring_put(struct log_ring *ring, const struct logfmt *line);
/* Lines lost so far. */
uint64_t log_ring_lost(const struct log_ring *ring);
/* Waits until all that was put is written, for at most so long. Also in handlers of signals. */
bool log_ring_wait(const struct log_ring *ring, unsigned ms);
/* Writes what is there, for at most so long, and ends. False: the descriptor took nothing, and the
 * thread is still at it, and ends by itself. Nobody may put any more. */
bool log_ring_stop(struct log_ring *ring, unsigned ms);
/* From here on a signal of a fault, and abort(), lets the thread write what is there first. Not
 * where a handler is installed already. NULL: no more. */
void log_ring_on_fault(struct log_ring *ring);

#endif
