/*
 * ocr-db-by-value.h - pass the content of a data block instead of the block (extension: OCR-Vx).
 *
 * Not supported: the functions are here so that programs that mention them can be built. Each does
 * nothing and returns OCR_ENOTSUP. ENABLE_EXTENSION_BYVALUE_DB is not defined, unlike the gates of
 * other extensions: programs that have another way then take it.
 */
#ifndef OCR_API_EXT_DB_BY_VALUE_H
#define OCR_API_EXT_DB_BY_VALUE_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Would satisfy a pre-slot with a copy of a block that the calling EDT holds. */
u8 ocrAddDependenceByValue(ocrGuid_t sourceDb, ocrGuid_t destination, u32 slot,
                           ocrDbAccessMode_t mode);

/* Would enclose calls of ocrAddDependenceByValue, releases and destructions that go together. */
u8 ocrGroupBegin(void);
u8 ocrGroupEnd(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_DB_BY_VALUE_H */
