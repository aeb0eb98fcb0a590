/*
 * ocr-file.h - files as data blocks (extension: OCR-Vx).
 *
 * Not supported: the functions are here so that programs that mention them can be built. An EDT can
 * use the files of the C library.
 */
#ifndef OCR_API_EXT_FILE_H
#define OCR_API_EXT_FILE_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OCR_FILE_EXISTS ((u16)0x1) /* in the descriptor: the file is open */

/* Would open a file, and make chunks of it data blocks. Each does nothing and returns OCR_ENOTSUP. */
u8 ocrFileOpen(ocrGuid_t *fileGuid, const char *path, const char *mode, ocrGuid_t *descriptorDb,
               u32 properties);
u8 ocrFileRelease(ocrGuid_t fileGuid);
u8 ocrFileGetChunk(ocrGuid_t *chunkDbGuid, ocrGuid_t fileGuid, u64 offset, u64 size);

/* What a descriptor says. There are no descriptors: ERROR_GUID, and 0. */
ocrGuid_t ocrFileGetGuid(void *descriptor);
u64 ocrFileGetSize(void *descriptor);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_FILE_H */
