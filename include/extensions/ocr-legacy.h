/*
 * ocr-legacy.h - OCR inside a program that has its own main (extension: OCR 1.2, legacy support).
 *
 * ocrParseArgs, ocrLegacyInit, any calls of the interface, ocrLegacyFinalize; again, if need be. In
 * between, main (and other threads of the program) may call every function, outside of any EDT. No
 * clause of OCR 1.1.0 defines the functions below, which its section 2.1 mentions.
 */
#ifndef OCR_API_EXT_LEGACY_H
#define OCR_API_EXT_LEGACY_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_LEGACY
#define ENABLE_EXTENSION_LEGACY 1 /* see ocr-edt.h */
#endif

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
 * Fills *ocrConfig from the arguments of main.
 *
 *   argc, argv  those of main; argv is changed
 *   ocrConfig   out: for ocrLegacyInit
 *
 * Takes options meant for the runtime (-ocr:... and --ocr:...) out of
 * argv, which userArgv is then; the strings stay where they are. The options hold for each
 * ocrLegacyInit from now on. Wrong ones end the process with a message and status 2; -ocr:help and
 * -ocr:version end it with status 0. A NULL in argv ends it before argc, so that it can be given
 * again. iniFile is the file of -ocr:cfg, by its full name: settings if that ends in .toml; others
 * are ignored.
 *
 * A relative name of a file in an option, or in a variable of the environment, is of the directory in
 * which the process was started. One that the program itself puts in iniFile is of its current one.
 */
void ocrParseArgs(int argc, const char *argv[], ocrConfig_t *ocrConfig);

/*
 * Starts the runtime, which takes calls at once, from every thread. Where a launcher such as mpirun has
 * started the process, this sets a variable of the environment, by which programs that it starts find
 * that they are not of the launch. No other thread may use the environment meanwhile.
 *
 *   legacyContext  out: what the other functions here ask for; NULL: it is not wanted
 *   ocrConfig      from ocrParseArgs; NULL: the settings come from the environment and from arguments
 *                  parsed before
 *
 * Where the runtime
 * cannot be started, or runs already, the process ends with a message.
 */
void ocrLegacyInit(ocrGuid_t *legacyContext, ocrConfig_t *ocrConfig);

/*
 * Ends the runtime.
 *
 *   legacyContext     from ocrLegacyInit; there is one, so any value does
 *   runUntilShutdown  true: waits until an EDT or a thread has called ocrShutdown or ocrAbort; false:
 *                     ends it at once, dropping what has not run
 *
 * EDTs that run are waited for. Blocks that the caller has acquired stay so while it waits. Afterwards all objects
 * are gone, data blocks with their memory. Until the next ocrLegacyInit, in all threads, nothing can be
 * created, waited for or satisfied: these functions return OCR_EPERM, and ocrWait ERROR_GUID. ocrShutdown
 * does nothing then, and ocrAbort ends the process.
 *
 * ocrAbort ends such a run like ocrShutdown, and not the process: it does not return to an EDT that
 * calls it, which is abandoned with what it holds; it returns to a thread outside of EDTs. If the run
 * was ending already, it returns to an EDT, too.
 *
 * Returns 0, or the code of ocrAbort; 1, after a message, if an EDT was missing in the run since its paramv
 * contradicted its paramc (ocrEdtCreate); OCR_EPERM, which is 1 too, where no such run is, and inside an EDT.
 */
u8 ocrLegacyFinalize(ocrGuid_t legacyContext, bool runUntilShutdown);

/*
 * Creates a finish EDT, and an event to wait for it.
 *
 *   handle             out: a sticky event that is satisfied with the EDT's result when its finish
 *                      scope closes, for ocrLegacyBlockProgress; the caller destroys it
 *   finishEdtTemplate  the EDT's template
 *   paramc, paramv     its parameters, as in ocrEdtCreate; but where paramc is 0 itself, paramv does not matter
 *   depc, depv         its pre-slots, at least one. depv[0] is overwritten with UNINITIALIZED_GUID:
 *                      the first pre-slot is the runtime's, the others are as in ocrEdtCreate.
 *   legacyContext      from ocrLegacyInit; there is one, so any value does
 *
 * The first pre-slot is satisfied in the call, without data: with depc 1 the EDT may run before it returns. *handle
 * can be used from then on. The handle is satisfied after the EDT and all that it has created have run; what
 * they wrote is seen by who has waited for it.
 *
 * Errors: OCR_EINVAL (handle or depv is NULL, there are no pre-slots), and those of ocrEdtCreate.
 * *handle is as before then; depv[0] may have been overwritten.
 */
u8 ocrLegacySpawnOCR(ocrGuid_t *handle, ocrGuid_t finishEdtTemplate, u64 paramc, u64 *paramv,
                     u64 depc, ocrGuid_t *depv, ocrGuid_t legacyContext);

/* The next function has five arguments; it had four in earlier versions. */
#define LEGACY_BLOCK_PROGRESS_5_ARGS 1

/*
 * Waits until an event is satisfied. The calling thread is blocked. Inside an EDT its worker is not
 * lost: another thread runs EDTs instead, and the EDT goes on, beside the workers, as soon as the
 * event is satisfied. What was written before the event was satisfied is visible then.
 *
 *   handle      a sticky or idempotent event
 *   guid        out: the data block that it was satisfied with, or NULL_GUID
 *   result      out: where the block begins, or NULL. It may be read until it is destroyed, and
 *               ocrDbRelease may be called for it once. A block of another node may be read until
 *               then, or until the EDT or the thread ends
 *   size        out: its size in bytes, or 0
 *   properties  LEGACY_PROP_NONE: the event exists. LEGACY_PROP_WAIT_FOR_CREATE: it is labeled, and
 *               may yet have to be created. LEGACY_PROP_WAIT_IF_CREATED: wait only if it exists.
 *               LEGACY_PROP_CHECK: do not wait for it to be satisfied. They may be combined; other
 *               bits have no effect.
 *
 * Each out pointer may be NULL. If nothing can satisfy the event any more, the program ends with a
 * message that names it.
 * Errors: OCR_EINVAL (not an event, or not of these kinds; not there; not satisfied, and the call may not
 * wait), OCR_ECANCELED (the run has ended: no EDT runs any more), OCR_EPERM (no runtime runs, or the
 * caller has paused it), OCR_ENOMEM. What the out pointers lead to is NULL_GUID, NULL and 0 then.
 */
u8 ocrLegacyBlockProgress(ocrGuid_t handle, ocrGuid_t *guid, void **result, u64 *size,
                          u16 properties);

/*
 * Waits like ocrLegacyBlockProgress, and returns the data block's GUID.
 *
 *   outputEvent  an event of any kind. The call is a dependence on it: of a counted event it is one of the
 *                nbDeps, of a channel it takes the next satisfaction, and of a collective event the next
 *                generation of contributor 0.
 *
 * Errors: ERROR_GUID, where ocrLegacyBlockProgress has an error but for the kind of event, and where the
 * event permits no further dependence. An event that is destroyed when it triggers, such as the output
 * event of an EDT, may be gone before the call, which is an error then: give such an EDT a sticky event
 * (EDT_PROP_OEVT_VALID).
 */
ocrGuid_t ocrWait(ocrGuid_t outputEvent);

/*
 * True if a dependence added to this channel event now would be satisfied at once.
 *
 *   channelGuid  a channel event; for all else the answer is false, and strict mode ends the program
 *
 * Another EDT may take the satisfaction before the caller does.
 */
bool ocrLegacyIsChannelReady(ocrGuid_t channelGuid);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_LEGACY_H */
