/* SPDX-License-Identifier: MIT */
/*
 * softoken spends 5.8 KB and 20 us on a key object, and a session that uses it keeps it alive.
 * So there is one for each secret: sealing and opening lanes of all threads use it together. Where
 * freebl's contexts serve, softoken is given no object, and this keeps the secret for them.
 */
#include "crypto/nss_lib.h"

#include <pthread.h>
#include <string.h>

#include "base/secret.h"

#define BUCKETS 4096U /* a power of 2 */
#define RAW_MAX 64
#define NO_SLOT 255

/* With an AES-256 key just 64 bytes. */
struct signet_nss_object {
    struct signet_nss_object *next;
    _Atomic CK_OBJECT_HANDLE handle;
    uint32_t refs;
    uint8_t slot; /* its number; NO_SLOT: softoken has no object */
    uint8_t type; /* CKK_AES or CKK_GENERIC_SECRET */
    uint8_t len;
    uint8_t raw[]; /* for contexts, or to import it again when softoken has lost it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct signet_nss_object *table[BUCKETS];

/* FNV-1a; the table is small and private. */
static struct signet_nss_object **bucket_of(CK_KEY_TYPE type, const uint8_t *raw, size_t len)
{
    uint64_t hash = 0xcbf29ce484222325U ^ type;
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ raw[i]) * 0x100000001b3U;
    }
    return &table[(hash ^ hash >> 32) & (BUCKETS - 1)];
}

static CK_RV create(const struct signet_nss_object *object, CK_SESSION_HANDLE holder,
                    CK_OBJECT_HANDLE *handle)
{
    CK_OBJECT_CLASS class = CKO_SECRET_KEY;
    CK_KEY_TYPE type = object->type;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_BBOOL cipher = type == CKK_AES, mac = type != CKK_AES;
    CK_ATTRIBUTE attributes[] = {
        {CKA_CLASS, &class, sizeof(class)},
        {CKA_KEY_TYPE, &type, sizeof(type)},
        {CKA_VALUE, (void *)(uintptr_t)object->raw, object->len},
        {CKA_ENCRYPT, &cipher, sizeof(cipher)},
        {CKA_DECRYPT, &cipher, sizeof(cipher)},
        {CKA_SIGN, &mac, sizeof(mac)},
        {CKA_TOKEN, &no, sizeof(no)},
        {CKA_SENSITIVE, &yes, sizeof(yes)},
        {CKA_EXTRACTABLE, &no, sizeof(no)},
    };
    return signet_nss_lib.fn->C_CreateObject(holder, attributes,
                                             sizeof(attributes) / sizeof(attributes[0]), handle);
}

/* Into the slot's holder, which is opened again when softoken has lost it. */
static CK_RV import(struct signet_nss_object *object)
{
    struct signet_nss_slot *slot = signet_nss_slot(object->slot);
    CK_OBJECT_HANDLE handle = CK_INVALID_HANDLE;
    CK_RV rv = create(object, slot->holder, &handle);
    if (rv == CKR_SESSION_HANDLE_INVALID || rv == CKR_SESSION_CLOSED) {
        rv = signet_nss_lib.fn->C_OpenSession(slot->id, CKF_SERIAL_SESSION, NULL, NULL,
                                              &slot->holder);
        if (rv == CKR_OK) {
            rv = create(object, slot->holder, &handle);
        }
    }
    if (rv == CKR_OK) {
        atomic_store_explicit(&object->handle, handle, memory_order_relaxed);
    }
    return rv;
}

static size_t size_of(size_t len)
{
    return sizeof(struct signet_nss_object) + len;
}

static bool without_softoken(CK_KEY_TYPE type)
{
    return type == CKK_AES && signet_nss_lib.freebl;
}

static struct signet_nss_object *find(struct signet_nss_object *first, CK_KEY_TYPE type,
                                      const uint8_t *raw, size_t len)
{
    struct signet_nss_object *at = first;
    while (at != NULL &&
           !(at->type == type && at->len == len &&
             (at->slot == NO_SLOT) == without_softoken(type) && signet_equal(at->raw, raw, len))) {
        at = at->next;
    }
    return at;
}

/* Has softoken make its object. */
static CK_RV settle(struct signet_nss_object *object)
{
    int slot = signet_nss_slot_take();
    object->slot = (uint8_t)slot;
    CK_RV rv = slot >= 0 ? import(object) : CKR_SLOT_ID_INVALID;
    if (rv == CKR_OK) {
        signet_nss_slot(object->slot)->objects++;
    }
    return rv;
}

/* Under the lock. */
static int add(struct signet_nss_object **out, struct signet_nss_object **bucket, CK_KEY_TYPE type,
               const uint8_t *raw, size_t len)
{
    struct signet_nss_object *object = signet_secret_alloc(size_of(len));
    if (object == NULL) {
        return -SIGNET_E_NOMEM;
    }
    object->slot = NO_SLOT;
    object->type = (uint8_t)type;
    object->refs = 1;
    object->len = (uint8_t)len;
    memcpy(object->raw, raw, len);
    CK_RV rv = without_softoken(type) ? CKR_OK : settle(object);
    if (rv != CKR_OK) {
        signet_secret_free(object, size_of(len));
        return signet_nss_err(rv);
    }
    object->next = *bucket;
    *bucket = object;
    *out = object;
    return 0;
}

int signet_nss_object_get(struct signet_nss_object **out, CK_KEY_TYPE type, const uint8_t *raw,
                          size_t len)
{
    *out = NULL;
    if (len == 0 || len > RAW_MAX) {
        return -SIGNET_E_INVAL;
    }
    if (signet_nss_refuses(type, raw, len)) {
        return -SIGNET_E_HANDLER_FIPS;
    }
    struct signet_nss_object **bucket = bucket_of(type, raw, len);
    int err = 0;
    pthread_mutex_lock(&lock);
    struct signet_nss_object *object = find(*bucket, type, raw, len);
    if (object != NULL) {
        object->refs++;
        *out = object;
    } else {
        err = add(out, bucket, type, raw, len);
    }
    pthread_mutex_unlock(&lock);
    return err;
}

static void leave_slot(const struct signet_nss_object *object)
{
    if (object->slot != NO_SLOT) {
        struct signet_nss_slot *slot = signet_nss_slot(object->slot);
        slot->objects--;
        (void)signet_nss_lib.fn->C_DestroyObject(slot->holder, object->handle);
    }
}

void signet_nss_object_put(struct signet_nss_object *object)
{
    struct signet_nss_object **at = bucket_of(object->type, object->raw, object->len);
    pthread_mutex_lock(&lock);
    bool last = --object->refs == 0;
    if (last) {
        while (*at != object) {
            at = &(*at)->next;
        }
        *at = object->next;
        leave_slot(object);
    }
    pthread_mutex_unlock(&lock);
    if (last) {
        signet_secret_free(object, size_of(object->len));
    }
}

CK_OBJECT_HANDLE signet_nss_object_handle(const struct signet_nss_object *object)
{
    return atomic_load_explicit(&object->handle, memory_order_relaxed);
}

CK_SLOT_ID signet_nss_object_slot(const struct signet_nss_object *object)
{
    return signet_nss_slot(object->slot)->id;
}

const uint8_t *signet_nss_object_raw(const struct signet_nss_object *object, size_t *len)
{
    *len = object->len;
    return object->slot == NO_SLOT ? object->raw : NULL;
}

CK_RV signet_nss_object_renew(struct signet_nss_object *object, CK_OBJECT_HANDLE lost)
{
    pthread_mutex_lock(&lock);
    CK_RV rv = object->handle == lost ? import(object) : CKR_OK;
    pthread_mutex_unlock(&lock);
    return rv;
}
