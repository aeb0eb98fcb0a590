/*
 * ocr-pause.h - stop the workers, look, go on (extension: OCR 1.2, pause).
 */
#ifndef OCR_API_EXT_PAUSE_H
#define OCR_API_EXT_PAUSE_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Stops the runtime: the other workers finish the EDT that they run and start no other.
 *
 *   isBlocking  what to do if another EDT has paused the runtime already: wait until it resumes and
 *               then pause, or return
 *
 * Returns 1 if the caller has paused the runtime and is to resume it; 0 if not.
 */
u32 ocrPause(bool isBlocking);

/*
 * Asks about a paused runtime.
 *
 *   query   what: see ocrQueryType_t
 *   guid    about which object, or NULL_GUID
 *   result  out: where the answer begins
 *   size    out: how many GUIDs it has
 *   flags   0
 *
 * Returns the data block that holds the answer, for the caller to destroy; NULL_GUID if the runtime
 * is not paused or the query is not one.
 */
ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void **result, u32 *size, u8 flags);

/* Lets the runtime go on. flag is what ocrPause returned; 0 does nothing. */
void ocrResume(u32 flag);

/* Makes a worker fail, to test recovery. This runtime has none: nothing happens. */
void ocrInjectFault(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_PAUSE_H */
