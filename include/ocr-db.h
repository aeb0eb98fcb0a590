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
 *   len        its size in bytes; may be 0
 *   flags      DB_PROP_ and GUID_PROP_ values, combined with |; other bits do nothing, since
 *              programs pass such (0xdead); the specification has OCR_EINVAL for them, and strict mode
 *              ends the program
 *   hint       NULL_HINT, or an OCR_HINT_DB_T hint, which is read during the call; others are left
 *              out (strict mode says so)
 *   allocator  NO_ALLOC
 *
 * The caller holds the new block in mode RW, except under DB_PROP_NO_ACQUIRE: then it may pass the block on but not use
 * it, and memory is found where the first EDT needs it, which is the better choice for a block that somebody else
 * fills. Alignment is at least 8 bytes; contents are undefined, but an EDT that asks for mode RO or CONST of a block
 * under DB_PROP_NO_ACQUIRE which no EDT has written finds zeros (in strict mode bytes 0xa5, and a note). The block
 * lives until ocrDbDestroy or the end of the program. Under DB_PROP_SINGLE_ASSIGNMENT, an EDT that acquires it for
 * writing (mode RW or EW) after its first writer has released it is warned of, and in strict mode ends the program; the
 * creator is the first writer, except under DB_PROP_NO_ACQUIRE.
 *
 * Errors: OCR_EINVAL (db is NULL, bad allocator), OCR_ENOMEM; with a GUID_PROP_ property those of
 * creating on a label (extensions/ocr-labeling.h). *db and *addr are as before then. The OCR_EBUSY
 * of the clause does not occur.
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
 * wait for the block may go on. The EDT must not use its pointer to the block any more: strict mode finds
 * writes, and reads while no other EDT has the block, if it has pages of its own. Blocks that
 * are not released this way are released at the end of the EDT. An EDT that satisfies an event with
 * a block that it wrote releases it first.
 *
 * Errors: OCR_EINVAL (not a data block, or no more), OCR_EACCES (the calling EDT does not hold it: it
 * has released it already or never acquired it). NULL_GUID is accepted.
 * OCR 1.1.0, 2.5.3.
 */
u8 ocrDbRelease(ocrGuid_t db);

/*
 * Copies a part of one data block to another one, when both can be had (OCR 1.0 and OCR-Vx; section
 * 6.3 of the paper about extensions).
 *
 *   destination        the block that is written; the rest of it stays as it is
 *   destinationOffset  where in it, in bytes
 *   source             the block that is read
 *   sourceOffset       where in it, in bytes
 *   size               how many bytes; may be 0
 *   copyType           0, a plain copy; or of extensions/ocr-db-partitioning.h: DB_COPY_PARTITION, which may
 *                      share memory in place of copying, or DB_COPY_PARTITION_BACK, which destroys the
 *                      source when it is copied
 *   completionEvt      out: an event that is satisfied with the destination. NULL: none is wanted
 *
 * The call returns at once. The copy is made by an EDT of the runtime, in the caller's finish scope,
 * which acquires the source in mode CONST and the destination in mode EW. So it waits for EDTs that
 * hold the blocks in other modes, the caller among them, and what it has written is seen by who
 * acquires the destination through the event. Until then the blocks must not be destroyed.
 *
 * The calling EDT may make others depend on the event until it ends, however early the copy is made.
 * After that, or when the copy is made later, the event goes by itself, as once events do. Outside
 * of EDTs, completionEvt gets a sticky event, which the program destroys.
 *
 * Errors: OCR_EINVAL (a GUID is not that of a data block that exists, or there is no such copyType),
 * OCR_EPERM (source and destination are one block; or one is a part of the other, by ocrDbPartition, and
 * the bytes are not those of the part in its whole), OCR_ENOMEM (the bytes are not all within their
 * block; or no memory), OCR_EACCES (the destination has DB_PROP_SINGLE_ASSIGNMENT, and was written).
 */
u8 ocrDbCopy(ocrGuid_t destination, u64 destinationOffset, ocrGuid_t source, u64 sourceOffset,
             u64 size, u64 copyType, ocrGuid_t *completionEvt);

/*
 * Memory management inside a data block, as in OCR 1.0. Not supported:
 * OCR 1.1.0 has no such functions any more. They are here so that programs that mention them can be
 * built; each returns OCR_EINVAL and does nothing, whatever its arguments.
 */
u8 ocrDbMalloc(ocrGuid_t guid, u64 size, void **addr);
u8 ocrDbMallocOffset(ocrGuid_t guid, u64 size, u64 *offset);
u8 ocrDbFree(ocrGuid_t guid, void *addr);
u8 ocrDbFreeOffset(ocrGuid_t guid, u64 offset);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_DB_H */
