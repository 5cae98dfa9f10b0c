/* SPDX-License-Identifier: MIT */
/* The last writes of each peer: what is asked again is not done again. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct done {
    uint64_t tid, version; /* version 0: unused */
};

struct osd_peer {
    struct osd_peer *next;          /* in the bucket */
    struct osd_peer *older, *newer; /* while idle */
    uint64_t global_id;
    unsigned sessions;
    pthread_mutex_t lock;                 /* over done: two connections of one peer may overlap */
    struct done done[SIGNET_OSD_REPEATS]; /* by tid: the newer one of two in one place */
};

struct osd_peers {
    pthread_mutex_t lock;
    struct osd_peer *bucket[BUCKETS];
    struct osd_peer *oldest, *newest; /* without sessions */
    unsigned num_idle;
};

struct osd_peers *osd_peers_new(void)
{
    struct osd_peers *peers = calloc(1, sizeof(*peers));
    if (peers != NULL) {
        pthread_mutex_init(&peers->lock, NULL);
    }
    return peers;
}

static void peer_free(struct osd_peer *peer)
{
    pthread_mutex_destroy(&peer->lock);
    free(peer);
}

void osd_peers_free(struct osd_peers *peers)
{
    if (peers == NULL) {
        return;
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        struct osd_peer *next;
        for (struct osd_peer *p = peers->bucket[i]; p != NULL; p = next) {
            next = p->next;
            peer_free(p);
        }
    }
    pthread_mutex_destroy(&peers->lock);
    free(peers);
}

static struct osd_peer **find(struct osd_peers *peers, uint64_t global_id)
{
    struct osd_peer **link = &peers->bucket[global_id % BUCKETS];
    while (*link != NULL && (*link)->global_id != global_id) {
        link = &(*link)->next;
    }
    return link;
}

static void leave_idle(struct osd_peers *peers, struct osd_peer *p)
{
    *(p->older != NULL ? &p->older->newer : &peers->oldest) = p->newer;
    *(p->newer != NULL ? &p->newer->older : &peers->newest) = p->older;
    peers->num_idle--;
}

static struct osd_peer *peer_new(uint64_t global_id)
{
    struct osd_peer *p = calloc(1, sizeof(*p));
    if (p != NULL) {
        p->global_id = global_id;
        pthread_mutex_init(&p->lock, NULL);
    }
    return p;
}

struct osd_peer *osd_peer_enter(struct osd_peers *peers, uint64_t global_id)
{
    pthread_mutex_lock(&peers->lock);
    struct osd_peer **link = find(peers, global_id);
    struct osd_peer *p = *link;
    if (p == NULL) {
        p = *link = peer_new(global_id);
    } else if (p->sessions == 0) {
        leave_idle(peers, p);
    }
    if (p != NULL) {
        p->sessions++;
    }
    pthread_mutex_unlock(&peers->lock);
    return p;
}

static void forget_oldest(struct osd_peers *peers)
{
    struct osd_peer *p = peers->oldest;
    leave_idle(peers, p);
    *find(peers, p->global_id) = p->next;
    peer_free(p);
}

void osd_peer_leave(struct osd_peers *peers, struct osd_peer *p)
{
    if (p == NULL) {
        return;
    }
    pthread_mutex_lock(&peers->lock);
    if (--p->sessions == 0) {
        p->older = peers->newest;
        p->newer = NULL;
        *(p->older != NULL ? &p->older->newer : &peers->oldest) = p;
        peers->newest = p;
        peers->num_idle++;
    }
    if (peers->num_idle > SIGNET_OSD_PEERS_MAX) {
        forget_oldest(peers);
    }
    pthread_mutex_unlock(&peers->lock);
}

uint64_t osd_peer_find(struct osd_peer *peer, uint64_t tid)
{
    pthread_mutex_lock(&peer->lock);
    const struct done *d = &peer->done[tid % SIGNET_OSD_REPEATS];
    uint64_t version = d->tid == tid ? d->version : 0;
    pthread_mutex_unlock(&peer->lock);
    return version;
}

void osd_peer_note(struct osd_peer *peer, uint64_t tid, uint64_t version)
{
    pthread_mutex_lock(&peer->lock);
    peer->done[tid % SIGNET_OSD_REPEATS] = (struct done){tid, version};
    pthread_mutex_unlock(&peer->lock);
}

/* Copies of a bucket's peers, so that nobody waits for fn. */
static int copy_bucket(struct osd_peers *peers, size_t bucket, struct osd_peer **out, size_t *num)
{
    int err = 0;
    *out = NULL;
    *num = 0;
    pthread_mutex_lock(&peers->lock);
    for (const struct osd_peer *p = peers->bucket[bucket]; p != NULL; p = p->next) {
        ++*num;
    }
    if (*num > 0) {
        *out = calloc(*num, sizeof(struct osd_peer));
        err = *out == NULL ? -ENOMEM : 0;
    }
    size_t i = 0;
    for (struct osd_peer *p = peers->bucket[bucket]; p != NULL && err == 0; p = p->next) {
        (*out)[i].global_id = p->global_id;
        pthread_mutex_lock(&p->lock);
        memcpy((*out)[i++].done, p->done, sizeof(p->done));
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_unlock(&peers->lock);
    return err;
}

static int each_done(const struct osd_peer *p,
                     int (*fn)(void *arg, uint64_t global_id, uint64_t tid, uint64_t version),
                     void *arg)
{
    for (size_t i = 0; i < SIGNET_OSD_REPEATS; i++) {
        const struct done *d = &p->done[i];
        int err = d->version != 0 ? fn(arg, p->global_id, d->tid, d->version) : 0;
        if (err != 0) {
            return err;
        }
    }
    return 0;
}

int osd_peers_each(struct osd_peers *peers,
                   int (*fn)(void *arg, uint64_t global_id, uint64_t tid, uint64_t version),
                   void *arg)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (const struct osd_peer *p = peers->bucket[i]; p != NULL; p = p->next) {
            int err = each_done(p, fn, arg);
            if (err != 0) {
                return err;
            }
        }
    }
    return 0;
}

int osd_peers_each_live(struct osd_peers *peers,
                        int (*fn)(void *arg, uint64_t global_id, uint64_t tid, uint64_t version),
                        void *arg)
{
    int err = 0;
    for (size_t i = 0; i < BUCKETS && err == 0; i++) {
        struct osd_peer *copy;
        size_t num;
        err = copy_bucket(peers, i, &copy, &num);
        for (size_t k = 0; k < num && err == 0; k++) {
            err = each_done(&copy[k], fn, arg);
        }
        free(copy);
    }
    return err;
}
