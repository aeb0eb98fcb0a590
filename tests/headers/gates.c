/*
 * gates.c - programs that define the macros of extensions themselves, empty, where other
 * implementations look at them: between ocr.h and the header of the extension, and for events
 * between ocr-types.h and ocr.h.
 */
#include "ocr-types.h"

#if !defined(PRIu64) || !defined(PRId64) || !defined(PRIx64)
#error "ocr-types.h alone does for printing numbers elsewhere"
#endif

#define ENABLE_EXTENSION_CHANNEL_EVT
#define ENABLE_EXTENSION_COLLECTIVE_EVT
#define ENABLE_EXTENSION_COUNTED_EVT
#define ENABLE_EXTENSION_PARAMS_EVT
#define ENABLE_EXTENSION_REDUCTION_EVT
#include "ocr.h"

#ifndef ENABLE_EXTENSION_AFFINITY /* some builds pass it */
#define ENABLE_EXTENSION_AFFINITY
#endif
#define ENABLE_EXTENSION_DB_INFO
#define ENABLE_EXTENSION_DEBUG
#define ENABLE_EXTENSION_HETEROGENEOUS
#define ENABLE_EXTENSION_LABELING
#define ENABLE_EXTENSION_LEGACY
#define ENABLE_EXTENSION_PAUSE
#define ENABLE_EXTENSION_RTITF
#include "extensions/ocr-affinity.h"
#include "extensions/ocr-db-info.h"
#include "extensions/ocr-debug.h"
#include "extensions/ocr-heterogeneous.h"
#include "extensions/ocr-labeling.h"
#include "extensions/ocr-legacy.h"
#include "extensions/ocr-pause.h"
#include "extensions/ocr-runtime-itf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A first EDT with types that are the same to the machine. */
ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, u64 *depv);

#ifdef __cplusplus
}
#endif

/* Names of collective events before OCR 1.2. */
static __inline__ u8 reduce(ocrGuid_t *event, void *value) {
    ocrEventParams_t params;
    params.EVENT_REDUCTION.maxGen = 1;
    params.EVENT_REDUCTION.type = COL_ALLREDUCE;
    const u8 code = ocrEventCreateParams(event, OCR_EVENT_REDUCTION_T, GUID_PROP_IS_LABELED, &params);
    return code != 0 ? code : ocrEventReductionSatisfySlot(*event, value, 0);
}

static __inline__ u8 reductions(ocrGuid_t *range) {
    return ocrGuidRangeCreate(range, 2, GUID_USER_EVENT_REDUCTION);
}
