/*
 * ocr-db-partitioning.h - divide a data block into several (extension: OCR-Vx).
 *
 * Not supported: ocrDbPartition is here so that programs that mention it can be built. The types of
 * copies, for ocrDbCopy of ocr-db.h, are supported.
 */
#ifndef OCR_API_EXT_DB_PARTITIONING_H
#define OCR_API_EXT_DB_PARTITIONING_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One part of a block. */
typedef struct {
    u64 offset;     /* in: where it begins, in bytes from the start of the block */
    u64 size;       /* in: its size in bytes */
    ocrGuid_t guid; /* out: the data block that it becomes */
} ocrDbPart_t;

#define OCR_DB_PARTITION_STATIC ((u16)0x1) /* a part will not be divided again */

/* What ocrDbCopy can be asked for besides a plain copy (section 6.3 of the paper). */
#define DB_COPY_PARTITION      ((u16)0x1) /* the source will not be used until all is copied back */
#define DB_COPY_PARTITION_BACK ((u16)0x2) /* back to where it came from; the source is destroyed */

/* Would divide dbGuid into partCount parts. Does nothing and returns OCR_ENOTSUP. */
u8 ocrDbPartition(ocrGuid_t dbGuid, u32 partCount, ocrDbPart_t *partitions, u32 properties);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_DB_PARTITIONING_H */
