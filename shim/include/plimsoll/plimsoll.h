/* plimsoll.h - how a program that uploads a snapshot says how far it is. C99, C11, C++17; needs
 * libplimsoll.so.1.
 *
 * Conventions
 *  1. A mover never fails because of this library. plimsoll_open always gives a handle; when it
 * cannot report (no directory, no room, no permission, PLIMSOLL_DISABLE=1) the handle is disabled:
 * every call returns PLIMSOLL_DISABLED at once and does nothing. plimsoll_status_of tells why.
 * Status values may be ignored.
 *  2. Only plimsoll_complete means success, and it means: the storage system has confirmed that all
 * of it is durable. plimsoll_close without a result, like the death of the process, is never
 * success.
 *  3. The first of complete, fail, incomplete and canceled counts; everything after it returns
 * PLIMSOLL_ENDED.
 *  4. One thread opens and closes a handle; between the two any thread may call anything. Threads
 * that add and update at the same time lose no counts. No call waits for the agent.
 *  5. plimsoll_update, _add, _set and _cancel_requested make no system call and never allocate;
 * none of the others allocates after plimsoll_open either. None may be called from a signal
 * handler.
 *  6. After fork() the child's copy of a handle is disabled (PLIMSOLL_FORKED); the child may open
 * its own. After a bare clone() without exec nothing but _exit is safe.
 *  7. Strings are NUL-terminated UTF-8, read during the call only. NULL is "". Free texts are cut
 * at a character (description 160 bytes, err 512, event 384, stored_as 256), invalid bytes are
 * replaced; identity fields over their bound make plimsoll_open answer PLIMSOLL_TOO_LONG.
 *  8. Numbers are signed 64-bit; a count is in `units` ("bytes" unless said otherwise). Sums
 * saturate.
 *  9. plimsoll_options begins with its own size: set it to sizeof(plimsoll_options) and zero the
 * rest. A library that is older than its caller refuses what it does not know (PLIMSOLL_INVALID)
 * unless that is all zero.
 * 10. A NULL handle is a disabled handle.
 */
#ifndef PLIMSOLL_PLIMSOLL_H
#define PLIMSOLL_PLIMSOLL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PLIMSOLL_API __attribute__((visibility("default")))
#else
#define PLIMSOLL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PLIMSOLL_ABI_VERSION 1u

typedef struct plimsoll_upload plimsoll_upload; /* opaque */

typedef enum {
  PLIMSOLL_OK = 0,
  PLIMSOLL_DISABLED = 1,      /* the handle does nothing */
  PLIMSOLL_INVALID = 2,       /* an argument is out of its range; nothing was done */
  PLIMSOLL_TOO_LONG = 3,      /* an identity field is over its bound */
  PLIMSOLL_ENDED = 4,         /* the result was reported already */
  PLIMSOLL_NO_DIRECTORY = 5,  /* no segments directory: is the agent installed? */
  PLIMSOLL_NO_SPACE = 6,      /* the directory's file system is full */
  PLIMSOLL_NO_PERMISSION = 7, /* not in the directory's group? */
  PLIMSOLL_FORKED = 8,        /* the parent's handle, seen from its child */
  PLIMSOLL_IO = 9             /* anything else the system refused */
} plimsoll_status;

/* Fields of plimsoll_set. -1 = not known, for the first four. */
typedef enum {
  PLIMSOLL_READ = 1, /* bytes read from the source */
  PLIMSOLL_SENT,     /* bytes sent to the store */
  PLIMSOLL_FILES_DONE,
  PLIMSOLL_FILES_TOTAL,
  PLIMSOLL_ERRORS,
  PLIMSOLL_WARNINGS,
  PLIMSOLL_ACTIVITY /* 0 unknown, 1 scanning, 2 sending, 3 finishing, 4 waiting */
} plimsoll_field;

/* Severities of plimsoll_event. */
enum { PLIMSOLL_INFO = 1, PLIMSOLL_WARNING = 2, PLIMSOLL_ERROR = 3 };

/* Flags of plimsoll_fail; unknown ones are ignored. */
enum { PLIMSOLL_WILL_RETRY = 1 };

typedef struct {
  size_t size; /* sizeof(plimsoll_options) */
  const char*
      backup; /* name of the backup, "" = not known; DNS-1123 subdomain, at most 253 bytes */
  const char* backup_uid;    /* at most 36 */
  const char* item;          /* RESOURCE[.GROUP]/[NAMESPACE/]NAME, at most 640 */
  const char* snapshot_id;   /* the source snapshot, at most 256 */
  const char* volume_id;     /* at most 768 */
  const char* part;          /* "" = the only one; at most 63 of A-Z a-z 0-9 . _ - */
  uint32_t parts_total;      /* 0 = not said */
  uint32_t attempt;          /* 0 = not said */
  const char* units;         /* "" = "bytes"; at most 16 */
  int64_t total;             /* 0 or less = not known */
  const char* directory;     /* for segments; "" = found: PLIMSOLL_RUN_DIR, /run/plimsoll, ... */
  const char* tool;          /* at most 32 */
  const char* tool_version;  /* at most 32 */
  const char* const* labels; /* "key=value", each at most 127 */
  size_t label_count;        /* at most 8 */
  uint32_t ring_bytes; /* of event history: 0 = 8192, else a power of two from 4096 to 524288 */
} plimsoll_options;

/* *out is never NULL afterwards, unless `out` itself is (PLIMSOLL_INVALID). */
PLIMSOLL_API plimsoll_status plimsoll_open(const plimsoll_options* options, plimsoll_upload** out);

/* completed >= 0; total < 0 keeps the one before, 0 = not known. */
PLIMSOLL_API plimsoll_status plimsoll_update(plimsoll_upload* upload, int64_t completed,
                                             int64_t total);

/* delta >= 0, added to what the last update set. */
PLIMSOLL_API plimsoll_status plimsoll_add(plimsoll_upload* upload, int64_t delta);

PLIMSOLL_API plimsoll_status plimsoll_set(plimsoll_upload* upload, plimsoll_field field,
                                          int64_t value);

/* What it is doing now, in one line; NULL or "" takes it away. */
PLIMSOLL_API plimsoll_status plimsoll_describe(plimsoll_upload* upload, const char* text);

/* A line of history; the oldest are overwritten. */
PLIMSOLL_API plimsoll_status plimsoll_event(plimsoll_upload* upload, int severity,
                                            const char* text);

/* 1: somebody wants this upload to stop. Stop, then call plimsoll_canceled. Never goes back to 0.
 */
PLIMSOLL_API int plimsoll_cancel_requested(const plimsoll_upload* upload);

/* Durable, all of it. stored_as: the name the storage system gave it, may be NULL. */
PLIMSOLL_API plimsoll_status plimsoll_complete(plimsoll_upload* upload, const char* stored_as);

/* Failed. flags: PLIMSOLL_WILL_RETRY if another attempt follows. */
PLIMSOLL_API plimsoll_status plimsoll_fail(plimsoll_upload* upload, const char* err,
                                           uint32_t flags);

/* Over, something was stored, but not all. */
PLIMSOLL_API plimsoll_status plimsoll_incomplete(plimsoll_upload* upload, const char* err,
                                                 const char* stored_as);

PLIMSOLL_API plimsoll_status plimsoll_canceled(plimsoll_upload* upload);

/* Frees the handle; it must not be used afterwards. NULL is allowed. */
PLIMSOLL_API void plimsoll_close(plimsoll_upload* upload);

/* PLIMSOLL_OK while it reports, PLIMSOLL_ENDED after a result, else why not. text (may be NULL):
 * one line. */
PLIMSOLL_API plimsoll_status plimsoll_status_of(const plimsoll_upload* upload, char* text,
                                                size_t size);

/* PLIMSOLL_ABI_VERSION of the library that was loaded. */
PLIMSOLL_API uint32_t plimsoll_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif
