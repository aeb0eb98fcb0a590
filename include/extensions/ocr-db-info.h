/*
 * ocr-db-info.h - ask about a data block (extension: OCR 1.2, data block information).
 */
#ifndef OCR_API_EXT_DB_INFO_H
#define OCR_API_EXT_DB_INFO_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_DB_INFO
#define ENABLE_EXTENSION_DB_INFO 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The size of a data block in bytes: the length that ocrDbCreate was asked for, not rounded.
 * The caller need not hold it.
 * Errors: OCR_EINVAL (not a data block, or one that was destroyed; size is NULL).
 * Extension: OCR 1.2.
 */
u8 ocrDbGetSize(ocrGuid_t db, u64 *size);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_DB_INFO_H */
