/*
 * ocr-db-partitioning.h - divide a data block into several (extension: OCR-Vx; section 6 of the paper
 * about extensions).
 *
 * Parts are data blocks of their own, so EDTs may write several parts of one block at the same time,
 * each in mode EW, and other EDTs need not know that it was divided.
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
    u64 size;       /* in: its size in bytes; may be 0 */
    ocrGuid_t guid; /* out: the data block that it becomes */
} ocrDbPart_t;

#define OCR_DB_PARTITION_STATIC ((u16)0x1) /* no other parts until all of them are destroyed */

/*
 * What ocrDbCopy can be asked for besides a plain copy (section 6.3 of the paper).
 *
 * DB_COPY_PARTITION promises that the source is not used until its pieces have been copied back and
 * destroyed. If the destination was created with DB_PROP_NO_ACQUIRE, no EDT has acquired it yet, the copy
 * covers all of it, and the bytes begin in the source where a part that uses the memory of its whole can
 * begin (see below), the destination shares that memory: nothing is copied on the host. It becomes a part of
 * the source, as of ocrDbPartition, and DB_COPY_PARTITION_BACK from it to where it came from copies
 * nothing either. So:
 *
 *   - What is written to the destination is in the source when the destination was copied back so, and may be
 *     there when it was only destroyed.
 *   - The promise need not be trusted. Where an EDT, or another copy, wants the source all the same, each
 *     destination that shares it gets memory of its own then, with what it contains, when the EDTs that have it
 *     have released it; and is a block for itself, as after a plain copy. The EDT finds in the source what was
 *     written to the destination before, if anything was; neither sees what is written to the other after that.
 *   - Either block may be destroyed first. The source's memory stays as long as a destination needs it.
 *
 * In all other cases it is a plain copy, and the blocks have nothing to do with each other then: where the
 * destination has memory, is written only in part or is a part itself, where the source has
 * DB_PROP_SINGLE_ASSIGNMENT or is divided with OCR_DB_PARTITION_STATIC, somebody waits for it already,
 * destinations would overlap, or the program runs on several nodes.
 *
 * DB_COPY_PARTITION_BACK copies back to where it came from, and destroys the source. From a part of
 * ocrDbPartition to its own place in the whole nothing is copied, with 0 as copyType neither; the whole can be
 * had when the part has been destroyed.
 */
#define DB_COPY_PARTITION      ((u16)0x1)
#define DB_COPY_PARTITION_BACK ((u16)0x2)

/*
 * Makes parts of a data block (section 6.2).
 *
 *   dbGuid      the block; it may be a part itself. The caller need not hold it
 *   partCount   how many parts, at least one
 *   partitions  the parts; they do not overlap, but bytes may belong to none. Their guid is written
 *               where the call succeeds
 *   properties  0 or OCR_DB_PARTITION_STATIC
 *
 * The parts can be used at once, in dependences; the caller holds none of them. An EDT gets a part when
 * those have released the block that held it, or waited for it, before the call (the caller among
 * them), and finds in the part what they have written; but who had the block in mode RO may have it
 * yet, as with any writer. What is written into a part is in the block
 * when the part has been destroyed with ocrDbDestroy and no EDT holds it any more.
 *
 * From the call until the last part is gone no EDT gets the block: an EDT that has it in a pre-slot waits.
 * While it waits it may hold other blocks, as any EDT. So have it depend on the EDTs that destroy
 * the parts, and it waits for nothing; a program in which one of these needs a block that it holds
 * hangs, and so does an EDT that gets a block together with a part of it (strict mode says so).
 *
 * Without OCR_DB_PARTITION_STATIC more parts can be made at any time where none is. Those for which
 * ocrDbDestroy was called do not count; what overlaps one that is used yet waits for it. When all were
 * destroyed, those that have waited for the block get it before it is divided again. The block may be
 * destroyed before its parts; they stay. A part that begins at a multiple of 128 bytes, or of its
 * size rounded up to a power of two, if that is less, but at least of 16, uses the memory of the block.
 * Others have memory of their own, and are copied.
 *
 * Errors; then no part is made: OCR_EINVAL (dbGuid is not a data block that exists; a part is not
 * within the block; parts overlap, each other or those that there are; partCount is 0, partitions
 * NULL, or a property unknown), OCR_EPERM (the block has parts made with OCR_DB_PARTITION_STATIC),
 * OCR_EACCES (the block has DB_PROP_SINGLE_ASSIGNMENT), OCR_ENOMEM (or, on several nodes, the block is
 * a part of a part, and so on, seven levels deep).
 */
u8 ocrDbPartition(ocrGuid_t dbGuid, u32 partCount, ocrDbPart_t *partitions, u32 properties);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_DB_PARTITIONING_H */
