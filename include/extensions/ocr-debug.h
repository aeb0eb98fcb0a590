/*
 * ocr-debug.h - names for objects, in messages (extension: OCR-Vx).
 *
 * The message about a program that hangs, and those of strict mode (OCR_CHECK=strict), show an object's
 * label beside its GUID. Each call takes a lock: meant for programs under examination.
 */
#ifndef OCR_API_EXT_DEBUG_H
#define OCR_API_EXT_DEBUG_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_DEBUG
#define ENABLE_EXTENSION_DEBUG 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How much of a label other runtimes keep, for programs that size their texts by it: characters and
 * numbers. Here there is no limit.
 */
#define OCR_MAX_DEBUG_LABEL_STRLEN 16
#define OCR_MAX_DEBUG_LABEL_PARAMC 2

/*
 * Gives an object a label; one that it had is replaced. The call has taken effect when it returns.
 *
 *   object  an EDT, a template, an event, a data block or a map (ocr-map-creator.h) that exists
 *   label   a text, which is copied. All of it is kept.
 *   paramc  how many numbers are shown behind the text
 *   paramv  the numbers, which are copied, such as the indices of a tile; NULL if there are none
 *
 * Errors: OCR_EINVAL (no such object, label is NULL, numbers without paramv), OCR_EPERM (no runtime
 * runs). An EDT may have run, and be gone, before it gets its label: ocrPreAttachDebugLabel is for
 * those.
 */
u8 ocrAttachDebugLabel(ocrGuid_t object, const char *label, u32 paramc, u64 *paramv);

/*
 * Gives the next object that the calling EDT (outside of EDTs: the calling thread) creates a label.
 * One that was given before and not used is replaced. Of use in strict mode alone: without it the runtime does not
 * note who creates what, and the label is dropped.
 *
 * Errors: OCR_EINVAL (label is NULL, numbers without paramv), OCR_EPERM (no runtime runs).
 */
u8 ocrPreAttachDebugLabel(const char *label, u32 paramc, u64 *paramv);

/*
 * Says that sourceTask is a cause of destinationTask, for tools that draw the graph. This runtime has
 * no such tool: the call checks its arguments and does nothing.
 *
 * Errors: OCR_EINVAL (one of them is not the GUID of an EDT, which may have ended).
 */
u8 ocrNoteCausality(ocrGuid_t sourceTask, ocrGuid_t destinationTask);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_DEBUG_H */
