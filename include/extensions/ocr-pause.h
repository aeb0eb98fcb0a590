/*
 * ocr-pause.h - stop the workers, look, go on (extension: OCR 1.2, pause; no clause of
 * OCR 1.1.0 defines any of the functions below).
 */
#ifndef OCR_API_EXT_PAUSE_H
#define OCR_API_EXT_PAUSE_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_PAUSE
#define ENABLE_EXTENSION_PAUSE 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Stops the runtime: the other workers finish the EDT that they run and start no other. EDTs that wait
 * in a call (extensions/ocr-legacy.h) need not end; they do not go on before ocrResume. Kernels that a
 * device has accepted go on. An EDT or thread that ends without ocrResume is warned about, and
 * resumes.
 *
 *   isBlocking  what to do if another EDT has paused the runtime already: wait until it resumes and
 *               then pause, or return
 *
 * Returns 1 if the caller has paused the runtime and is to resume it; 0 if not: somebody else has, the
 * caller itself has, the run ends, or no runtime runs. When it returns 1, all that the other workers
 * have done is visible.
 */
u32 ocrPause(bool isBlocking);

/*
 * Asks about a runtime that the caller has paused.
 *
 *   query   OCR_QUERY_READY_EDTS: the EDTs that are ready and do not run.
 *           OCR_QUERY_ALL_EDTS: all EDTs that have not ended, the caller included.
 *           OCR_QUERY_EVENTS: the events that the pre-slots of the EDT `guid` wait for.
 *           OCR_QUERY_LAST_SATISFIED_DB: not answered, as the order is not recorded.
 *   guid    the EDT; for the other queries it does not matter. What is no EDT that waits has no events: the
 *           answer is a block of 0 bytes.
 *   result  out: where the answer begins, an array of ocrGuid_t; may be NULL
 *   size    out: its size in bytes, which is eight times the number of GUIDs; may be NULL
 *   flags   0
 *
 * Returns the data block that holds the answer, which the caller has acquired and is to destroy;
 * NULL_GUID, with *result NULL and *size 0, if the caller has not paused the runtime, the query is not
 * one that is answered, or there is no memory for the answer.
 */
ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void **result, u32 *size, u8 flags);

/*
 * Lets the runtime go on. flag is what ocrPause returned; 0 does nothing, as does a call by another
 * than who has paused.
 */
void ocrResume(u32 flag);

/*
 * Makes a worker fail, to test recovery: the calling EDT crashes once (by SIGABRT) where it runs as an attempt that can
 * be undone (the setting OCR_RETRY) and has not crashed before. Otherwise nothing happens.
 */
void ocrInjectFault(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_PAUSE_H */
