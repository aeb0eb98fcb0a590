/*
 * ocr-legacy.h - OCR inside a program that has its own main (extension: OCR 1.2, legacy support).
 *
 * ocrParseArgs, ocrLegacyInit, any calls of the interface, ocrLegacyFinalize; again, if need be. In
 * between, main (and other threads of the program) may call every function, outside of any EDT.
 */
#ifndef OCR_API_EXT_LEGACY_H
#define OCR_API_EXT_LEGACY_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to start. */
typedef struct _ocrConfig_t {
    int userArgc;        /* the program's arguments, without those for the runtime */
    char **userArgv;
    const char *iniFile; /* a configuration file, or NULL */
} ocrConfig_t;

/*
 * Fills *ocrConfig from the arguments of main: takes out options meant for the runtime (-ocr:...).
 * The strings stay those of argv.
 */
void ocrParseArgs(int argc, const char *argv[], ocrConfig_t *ocrConfig);

/* Starts the runtime. *legacyContext is what the other functions here ask for. */
void ocrLegacyInit(ocrGuid_t *legacyContext, ocrConfig_t *ocrConfig);

/*
 * Ends the runtime: if runUntilShutdown, waits until an EDT or a thread has called ocrShutdown or
 * ocrAbort; otherwise at once, dropping what has not run.
 * Returns 0, or the code of ocrAbort.
 */
u8 ocrLegacyFinalize(ocrGuid_t legacyContext, bool runUntilShutdown);

/*
 * Creates a finish EDT, and an event to wait for it.
 *
 *   handle             out: a sticky event that is satisfied with the EDT's result, for
 *                      ocrLegacyBlockProgress; the caller destroys it
 *   finishEdtTemplate  the EDT's template
 *   paramc, paramv     its parameters, as in ocrEdtCreate
 *   depc, depv         its pre-slots, at least one. depv[0] is overwritten with UNINITIALIZED_GUID:
 *                      the first pre-slot is the runtime's, the others are as in ocrEdtCreate.
 *   legacyContext      from ocrLegacyInit
 *
 * Errors: those of ocrEdtCreate.
 */
u8 ocrLegacySpawnOCR(ocrGuid_t *handle, ocrGuid_t finishEdtTemplate, u64 paramc, u64 *paramv,
                     u64 depc, ocrGuid_t *depv, ocrGuid_t legacyContext);

/* The next function has five arguments; it had four in earlier versions. */
#define LEGACY_BLOCK_PROGRESS_5_ARGS 1

/*
 * Waits until an event is satisfied. The calling thread is blocked; inside an EDT the runtime sees
 * to it that others go on.
 *
 *   handle      a sticky or idempotent event
 *   guid        out: the data block that it was satisfied with, or NULL_GUID
 *   result      out: where the block begins, or NULL. It may be read until it is destroyed.
 *   size        out: its size in bytes, or 0
 *   properties  LEGACY_PROP_NONE: the event exists. LEGACY_PROP_WAIT_FOR_CREATE: it is labeled, and
 *               may yet have to be created. LEGACY_PROP_WAIT_IF_CREATED: wait only if it exists.
 *               LEGACY_PROP_CHECK: do not wait for it to be satisfied.
 *
 * Each out pointer may be NULL.
 * Errors: OCR_EINVAL (not an event; or not there yet, or not satisfied, and told not to wait).
 */
u8 ocrLegacyBlockProgress(ocrGuid_t handle, ocrGuid_t *guid, void **result, u64 *size,
                          u16 properties);

/* Waits like ocrLegacyBlockProgress and returns the data block's GUID; ERROR_GUID on an error. */
ocrGuid_t ocrWait(ocrGuid_t outputEvent);

/* True if a dependence added to this channel event now would be satisfied at once. */
bool ocrLegacyIsChannelReady(ocrGuid_t channelGuid);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_LEGACY_H */
