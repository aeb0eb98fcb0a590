/*
 * ocr-labeling.h - labeled GUIDs (OCR 1.1.0, B.2).
 *
 * EDTs that know the same range and index (or the same map and tuple) get the same GUID, without
 * passing it on to each other. Reserving a GUID creates no object: that is done by the create
 * functions, with a GUID_PROP_ property (ocr-types.h).
 */
#ifndef OCR_API_EXT_LABELING_H
#define OCR_API_EXT_LABELING_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of objects that a GUID can stand for. */
typedef enum {
    GUID_USER_NONE             = 0, /* no object */
    GUID_USER_DB               = 2,
    GUID_USER_EDT              = 3,
    GUID_USER_EDT_TEMPLATE     = 4,
    GUID_USER_EVENT_ONCE       = 17,
    GUID_USER_EVENT_COUNTED    = 18, /* extension: OCR 1.2 */
    GUID_USER_EVENT_IDEM       = 19,
    GUID_USER_EVENT_STICKY     = 21,
    GUID_USER_EVENT_LATCH      = 22,
    GUID_USER_EVENT_CHANNEL    = 23, /* extension: OCR-Vx */
    GUID_USER_EVENT_COLLECTIVE = 24  /* extension: OCR 1.2 */
} ocrGuidUserKind;

/*
 * Reserves GUIDs for tuples.
 *
 *   mapGuid     out: the map, for ocrGuidFromLabel
 *   numParams   how many params there are
 *   mapFunc     finds the GUID of a tuple: addValueToGuid(startGuid, i * skipGuid), with a
 *               different i < numberGuid for each tuple. Called by ocrGuidFromLabel, on the
 *               caller's thread; always the same answer for the same tuple.
 *   params      handed to mapFunc; copied. NULL if there are none.
 *   numberGuid  how many GUIDs
 *   kind        of the objects that will have them
 *
 * Errors: OCR_EINVAL (a pointer is NULL, numberGuid is 0, no such kind), OCR_ENOMEM.
 * OCR 1.1.0, B.2.2.1.
 */
u8 ocrGuidMapCreate(ocrGuid_t *mapGuid, u32 numParams,
                    ocrGuid_t (*mapFunc)(ocrGuid_t startGuid, u64 skipGuid, s64 *params,
                                         s64 *tuple),
                    s64 *params, u64 numberGuid, ocrGuidUserKind kind);

/*
 * Reserves GUIDs for the indices 0 to numberGuid - 1. *rangeGuid is for ocrGuidFromIndex.
 * Errors: OCR_EINVAL (rangeGuid is NULL, numberGuid is 0, no such kind), OCR_ENOMEM.
 * OCR 1.1.0, B.2.2.2.
 */
u8 ocrGuidRangeCreate(ocrGuid_t *rangeGuid, u64 numberGuid, ocrGuidUserKind kind);

/*
 * Destroys a map or a range. Objects that were created on its GUIDs stay; the other GUIDs are given
 * back. Takes the GUID by value, as OCR 1.2 does and the text of the clause says.
 * Errors: OCR_EINVAL (neither a map nor a range). OCR 1.1.0, B.2.2.3.
 */
u8 ocrGuidMapDestroy(ocrGuid_t mapGuid);

/*
 * Sets a map for later use by default. Not supported: returns OCR_ENOTSUP.
 * Extension: OCR 1.2.
 */
u8 ocrGuidMapSetDefaultMap(u32 numParams,
                           ocrGuid_t (*mapFunc)(ocrGuid_t startGuid, u64 skipGuid, s64 *params,
                                                s64 *tuple),
                           s64 *params, u64 numberGuid, ocrGuidUserKind kind);

/*
 * The GUID of a tuple, by the function of a map.
 * Errors: OCR_EINVAL (a pointer is NULL, not a map). OCR 1.1.0, B.2.2.4.
 */
u8 ocrGuidFromLabel(ocrGuid_t *outGuid, ocrGuid_t mapGuid, s64 *tuple);

/*
 * The GUID of an index in a range.
 * Errors: OCR_EINVAL (outGuid is NULL, not a range, no such index). OCR 1.1.0, B.2.2.5.
 */
u8 ocrGuidFromIndex(ocrGuid_t *outGuid, ocrGuid_t rangeGuid, u64 idx);

/*
 * What kind of object a GUID stands for at this moment; GUID_USER_NONE if there is none, which is
 * not an error. Another EDT may create or destroy it before the caller looks at the answer.
 * Errors: OCR_EINVAL (outKind is NULL). OCR 1.1.0, B.2.2.6.
 */
u8 ocrGetGuidKind(ocrGuidUserKind *outKind, ocrGuid_t guid);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_LABELING_H */
