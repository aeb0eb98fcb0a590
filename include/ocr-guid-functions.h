/*
 * ocr-guid-functions.h - compare and print GUIDs (OCR 1.1.0, 2.4).
 *
 * The functions look at the GUID alone: no object is touched, and any value may be passed.
 * (__inline__: "inline" is no keyword of C90.) Those that begin with ocr are symbols of the library, too, for what
 * does not read this header.
 */
#ifndef OCR_API_GUID_FUNCTIONS_H
#define OCR_API_GUID_FUNCTIONS_H

#include <inttypes.h>

#include "ocr-types.h"

/* True if guid is NULL_GUID. OCR 1.1.0, 2.4.1. */
static __inline__ bool ocrGuidIsNull(ocrGuid_t guid) { return guid.guid == 0; }

/* True if guid is UNINITIALIZED_GUID. OCR 1.1.0, 2.4.2. */
static __inline__ bool ocrGuidIsUninitialized(ocrGuid_t guid) { return guid.guid == -2; }

/* True if guid is ERROR_GUID. OCR 1.1.0, 2.4.3. */
static __inline__ bool ocrGuidIsError(ocrGuid_t guid) { return guid.guid == -1; }

/* True if both are the same GUID. OCR 1.1.0, 2.4.4. */
static __inline__ bool ocrGuidIsEq(ocrGuid_t guid1, ocrGuid_t guid2) {
    return guid1.guid == guid2.guid;
}

/* A total order of GUIDs, for sorting; it says nothing about the objects. OCR 1.1.0, 2.4.5. */
static __inline__ bool ocrGuidIsLt(ocrGuid_t guid1, ocrGuid_t guid2) {
    return guid1.guid < guid2.guid;
}

/* The same under the names of OCR 1.0. */
static __inline__ bool IS_GUID_NULL(ocrGuid_t guid) { return ocrGuidIsNull(guid); }
static __inline__ bool IS_GUID_UNINITIALIZED(ocrGuid_t guid) { return ocrGuidIsUninitialized(guid); }
static __inline__ bool IS_GUID_ERROR(ocrGuid_t guid) { return ocrGuidIsError(guid); }
static __inline__ bool IS_GUID_EQUAL(ocrGuid_t guid1, ocrGuid_t guid2) {
    return ocrGuidIsEq(guid1, guid2);
}
static __inline__ bool IS_GUID_LESS_THAN(ocrGuid_t guid1, ocrGuid_t guid2) {
    return ocrGuidIsLt(guid1, guid2);
}

/*
 * Printing (OCR 1.1.0, 2.4.6): ocrPrintf("block " GUIDF "\n", GUIDA(guid));
 * The S and L forms are the same here; they differ where a GUID is wider than 64 bits.
 */
#define GUIDF     "0x%" PRIx64
#define GUIDSx    GUIDF
#define GUIDLx    GUIDF
#define GUIDA(g)  ((g).guid)
#define GUIDFS(g) GUIDA(g)
#define GUIDFL(g) GUIDA(g)

#define GUID_ASSIGN_VALUE(g1, g2) ((g1) = (g2))
#define GUID_SIZE(g)              (sizeof(g) * 8) /* in bits */

#endif /* OCR_API_GUID_FUNCTIONS_H */
