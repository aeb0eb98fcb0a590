/*
 * ocr-db.h - data blocks: the memory that EDTs share (OCR 1.1.0, 1.4.4 and 2.5).
 *
 * An EDT may use a block from when it acquires it (by creating it, or through a pre-slot) until it
 * releases it (with ocrDbRelease, ocrDbDestroy, or by ending). What it wrote is seen by every EDT
 * that acquires the block through a dependence satisfied after the release.
 */
#ifndef OCR_API_DB_H
#define OCR_API_DB_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Creates a data block.
 *
 *   db         out: its GUID, usable at once. In: with a GUID_PROP_ property, the labeled GUID.
 *   addr       out: where the block begins; NULL under DB_PROP_NO_ACQUIRE. May be NULL.
 *   len        its size in bytes
 *   flags      DB_PROP_ and GUID_PROP_ values, combined with |
 *   hint       NULL_HINT, or an OCR_HINT_DB_T hint, which is read during the call; others are left
 *              out
 *   allocator  NO_ALLOC
 *
 * The caller holds the new block in mode RW, except under DB_PROP_NO_ACQUIRE: then it may pass the
 * block on but not use it, and memory is found where the first EDT needs it, which is the better
 * choice for a block that somebody else fills. Alignment is at least 8 bytes; contents are
 * undefined. The block lives until ocrDbDestroy or the end of the program. Under
 * DB_PROP_SINGLE_ASSIGNMENT, an EDT that acquires it for writing (mode RW or EW) after its first
 * writer has released it is warned of, and in strict mode ends the program; the creator is the first
 * writer, except under DB_PROP_NO_ACQUIRE.
 *
 * Errors: OCR_EINVAL (db is NULL, bad flags or allocator), OCR_ENOMEM, OCR_EBUSY (try again),
 * OCR_EGUIDEXISTS (GUID_PROP_CHECK, and the block is there already; *db is as before).
 * OCR 1.1.0, 2.5.1.
 */
u8 ocrDbCreate(ocrGuid_t *db, void **addr, u64 len, u16 flags, ocrHint_t *hint,
               ocrInDbAllocator_t allocator);

/*
 * Asks for the end of a data block. If the calling EDT holds the block, it releases it. The memory
 * goes when the last EDT that holds the block has released it; until then those EDTs may use it.
 * The caller need not hold the block, nor have created it.
 *
 * Errors: OCR_EPERM (destroyed already), OCR_EINVAL (not a data block). NULL_GUID is accepted.
 * OCR 1.1.0, 2.5.2.
 */
u8 ocrDbDestroy(ocrGuid_t db);

/*
 * Says that the calling EDT is done with a data block: what it wrote can now be seen, and EDTs that
 * wait for the block may go on. The EDT must not use its pointer to the block any more. Blocks that
 * are not released this way are released at the end of the EDT. An EDT that satisfies an event with
 * a block that it wrote releases it first.
 *
 * Errors: OCR_EINVAL (not a data block), OCR_EACCES (the calling EDT does not hold it: it has
 * released it already or never acquired it).
 * OCR 1.1.0, 2.5.3.
 */
u8 ocrDbRelease(ocrGuid_t db);

/*
 * Memory management inside a data block, and copies between blocks, as in OCR 1.0. Not supported:
 * OCR 1.1.0 has no such functions any more. They are here so that programs that mention them can be
 * built; each returns OCR_EINVAL and does nothing.
 */
u8 ocrDbMalloc(ocrGuid_t guid, u64 size, void **addr);
u8 ocrDbMallocOffset(ocrGuid_t guid, u64 size, u64 *offset);
u8 ocrDbFree(ocrGuid_t guid, void *addr);
u8 ocrDbFreeOffset(ocrGuid_t guid, u64 offset);
u8 ocrDbCopy(ocrGuid_t destination, u64 destinationOffset, ocrGuid_t source, u64 sourceOffset,
             u64 size, u64 copyType, ocrGuid_t *completionEvt);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_DB_H */
