/*
 * ocr-runtime-itf.h - for libraries built on OCR (extension: OCR 1.2, runtime interface; no clause of
 * OCR 1.1.0 defines any of the functions below).
 */
#ifndef OCR_API_EXT_RUNTIME_ITF_H
#define OCR_API_EXT_RUNTIME_ITF_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_RTITF
#define ENABLE_EXTENSION_RTITF 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Slots of storage that each EDT has; NULL_GUID when it starts. */
#ifndef ELS_USER_SIZE
#define ELS_USER_SIZE 4
#endif

/*
 * Reads a slot of the calling EDT. offset is less than ELS_USER_SIZE; outside of an EDT, or for
 * another offset, the answer is ERROR_GUID.
 */
ocrGuid_t ocrElsUserGet(u8 offset);

/* Writes a slot of the calling EDT; outside of an EDT, or for another offset, does nothing. */
void ocrElsUserSet(u8 offset, ocrGuid_t data);

/*
 * Where the slots of the calling EDT are, and their size in bytes; valid until the EDT ends.
 * Errors: OCR_EINVAL (a pointer is NULL), OCR_EPERM (outside of an EDT).
 */
u8 ocrEdtLocalStorageGet(void **ptr, u64 *elsSize);

/*
 * The calling EDT.
 * Errors: OCR_EINVAL (curEdt is NULL), OCR_EPERM (outside of an EDT; *curEdt is NULL_GUID).
 */
u8 ocrCurrentEdtGet(ocrGuid_t *curEdt);

/* The same under an older name: NULL_GUID outside of an EDT. */
ocrGuid_t currentEdtUserGet(void);

/*
 * The output event of the calling EDT, under the GUID that its creator got; NULL_GUID if the
 * creator asked for none.
 * Errors: OCR_EINVAL (outputEvent is NULL), OCR_EPERM (outside of an EDT).
 */
u8 ocrCurrentEdtOutputGet(ocrGuid_t *outputEvent);

/*
 * How many workers run EDTs; 0 where no runtime runs. They become fewer, once in a run at most, when a CPU device gets
 * cores of theirs (OCR_BIND). An EDT that one of those runs then which are given up goes on there, to its end.
 */
u64 ocrNbWorkers(void);

/*
 * Stores the worker that runs the caller in *guid, which may be NULL. Each worker has a GUID of its own, the same in
 * the whole run. So there are at most as many different ones as ocrNbWorkers says when the run begins. When some of the
 * workers have been given up and have ended their EDTs, those that are left are as many as ocrNbWorkers says then.
 * NULL_GUID outside of EDTs, and in an EDT that has let another thread have the place of its worker: by waiting in a
 * call (ocrLegacyBlockProgress, ocrMapGet, GUID_PROP_BLOCK), or by ocrInformLegacyCodeBlocking.
 */
void ocrCurrentWorkerGuid(ocrGuid_t *guid);

/*
 * Says that the calling EDT waits for something that other EDTs have to do. From the first call to the
 * end of the EDT another thread has the place of its worker, so that they are run. May be called in a
 * loop: it gives the processor away and returns. Outside of an EDT it does just that. While somebody else
 * has paused the runtime (ocrPause), it returns when the pause is over.
 *
 * After ocrShutdown such an EDT is waited for as long as somebody might do what it waits for: an EDT that
 * runs, or waits in a call and is notified now that the program ends; a device; a thread of the program or of
 * a library, unless that waits in the runtime. When all that is left is EDTs that call this again and
 * again, and each of them has done so several times since anything else has happened, they are abandoned
 * with what they hold: the call does not return, and a message says so. A loop that would end by itself,
 * by the clock for example, may be cut short by that.
 *
 * Returns 0; OCR_EPERM where no runtime runs.
 */
u8 ocrInformLegacyCodeBlocking(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_RUNTIME_ITF_H */
