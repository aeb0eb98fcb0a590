/*
 * ocr-map-creator.h - local identifiers, and maps that create their objects on demand (extension:
 * OCR-Vx).
 *
 * There are no local identifiers here: every identifier is a GUID. Maps are not supported; ranges
 * of labeled GUIDs (ocr-labeling.h) serve a similar end.
 */
#ifndef OCR_API_EXT_MAP_CREATOR_H
#define OCR_API_EXT_MAP_CREATOR_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an identifier is. */
typedef enum ocrIdType {
    OCR_ID_GUID = 0, /* good everywhere, for as long as the object lives */
    OCR_ID_LID  = 1, /* good in one EDT */
    OCR_ID_UNK  = 2
} ocrIdType;

/* Would create the object of a map at an index. */
typedef void (*ocrCreator_t)(ocrGuid_t objectLid, u64 index, u32 paramc, u64 *paramv, u32 guidc,
                             ocrGuid_t *guidv);

/* Properties of objects that a creator creates. The values are this runtime's own. */
#define EVT_PROP_MAPPED ((u16)0x800)
#define EDT_PROP_MAPPED ((u16)0x800)

/* OCR_ID_GUID, for every id. */
ocrIdType ocrGetIdType(ocrGuid_t id);

/*
 * The GUID of what an identifier names: sourceId itself. No object is touched.
 * Errors: OCR_EINVAL (guid is NULL).
 */
u8 ocrGetGuid(ocrGuid_t *guid, ocrGuid_t sourceId);

/* Maps of objects that are created when they are first asked for. Each does nothing and returns
 * OCR_ENOTSUP. */
u8 ocrMapCreate(ocrGuid_t *mapGuid, u64 size, ocrCreator_t creatorFunc, u32 paramc, u64 *paramv,
                u32 guidc, ocrGuid_t *guidv);
u8 ocrMapDestroy(ocrGuid_t mapGuid);
u8 ocrMapGet(ocrGuid_t *lid, ocrGuid_t mapGuid, u64 index);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_MAP_CREATOR_H */
