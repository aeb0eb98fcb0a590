/*
 * ocr-file.h - files as data blocks (extension: OCR-Vx; "OCR extensions", section 5).
 *
 * A file is opened, and parts of it are made data blocks: chunks. EDTs use a chunk as any other data
 * block, kernels of OpenCL devices too; when it is destroyed, its content goes back to the file.
 *
 *   ocrFileOpen(&file, "data.bin", "rb+", &descriptor, 0);
 *   ... an EDT gets the descriptor through a pre-slot:
 *       u64 size = ocrFileGetSize(depv[0].ptr);
 *       ocrFileGetChunk(&chunk, ocrFileGetGuid(depv[0].ptr), 0, size);
 *       ocrFileRelease(ocrFileGetGuid(depv[0].ptr));
 *       ocrDbDestroy(depv[0].guid);
 *   ... another one gets the chunk through a pre-slot, works on it, and calls ocrDbDestroy.
 *
 * When a chunk reaches its file. A chunk whose content is not what the file has there is written
 * when it was destroyed (ocrDbDestroy) and no EDT holds it any more; in the call of ocrDbDestroy if
 * the EDT that calls it is the last that holds it or no EDT does, and otherwise before the output
 * event of the last EDT that holds it triggers. So who opens the file, or makes another chunk of the
 * same bytes, in an EDT that depends on that, finds what was written. One exception: where the last
 * that holds the chunk or a part of it (ocr-db-partitioning.h) is a kernel, or the content of one of
 * these is on a device alone, it is brought to the host and written by an EDT of the runtime, when a
 * worker has time for it, or at the end of the program. So have an EDT on the host destroy a chunk
 * that a kernel writes, and acquire it. The same goes for a chunk that was divided, if what divides it, an EDT of
 * the runtime, has not run yet.
 * What counts is the content, not the mode in which EDTs have acquired the chunk: one that was only read
 * is not written, and the file keeps the time of its last change; what was written in mode RO, as some
 * programs do, is written back. If somebody else has changed the file meanwhile, the chunk replaces that.
 * Chunks that are left at ocrShutdown are written before the program ends, with what their parts
 * contain, when the EDTs that run have ended, and the kernels that have been sent to a device. After
 * ocrAbort, and where a message of the runtime ends the program, chunks that are left are not
 * written; a message says how many. A kernel that fails while it runs ends the program so, after
 * ocrShutdown, too.
 *
 * Errors when a chunk is written back, or the file closed, end the program with status 1 and a
 * message that names the file and the reason; at ocrShutdown all the other chunks are written first.
 */
#ifndef OCR_API_EXT_FILE_H
#define OCR_API_EXT_FILE_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * In the status of a descriptor: the file is open. A descriptor is a data block of 24 bytes: the GUID
 * of the file, its size (8 bytes), its status (1 byte), and 7 bytes without meaning. ocrFileOpen
 * creates it where the file could be opened, so this is always set.
 */
#define OCR_FILE_EXISTS ((u16)0x1)

/*
 * Opens a file. It is open when the call returns.
 *
 *   fileGuid      out: its GUID, usable at once
 *   path          its name, as for fopen
 *   mode          as for fopen:
 *                 "r"   the file must exist; chunks are not written back
 *                 "r+"  the file must exist; chunks are written back
 *                 "w"   the file is created, or emptied; chunks are written back
 *                 "w+"  the same
 *                 A "b" may follow the letter or stand at the end; it means nothing. With "w", the
 *                 file must be readable, too. There is no appending ("a"): a chunk says where it is.
 *   descriptorDb  out: the GUID of a data block that describes the file, for an EDT that gets it
 *                 through a pre-slot. The caller has not acquired it, and somebody has to destroy it.
 *                 NULL if it is not wanted.
 *   properties    0 (others are ignored; strict mode refuses them)
 *
 * The same file may be open more than once; then chunks of the one know nothing of those of the other.
 *
 * Errors, each with a warning that says more, but where fileGuid or path is NULL: OCR_EINVAL (that, or no
 * such mode; a name that is too long, or leads round in a circle; a directory, a pipe, a device or the like),
 * OCR_ENOENT (no such file or folder), OCR_EACCES (not allowed to the user), OCR_EROFS (on a read-only file system),
 * OCR_EAGAIN (too many files are open), OCR_EBUSY (a program that runs), OCR_ENOSPC, OCR_ENOMEM,
 * OCR_EIO; without one OCR_EPERM (no runtime runs). Nothing is written then.
 */
u8 ocrFileOpen(ocrGuid_t *fileGuid, const char *path, const char *mode, ocrGuid_t *descriptorDb,
               u32 properties);

/*
 * Says that no EDT will ask for chunks of a file any more: its GUID is no longer accepted. Its chunks
 * live on; the file is closed when the last of them has gone.
 *
 * Errors: OCR_EINVAL (not a file, or released already), OCR_EPERM (no runtime runs).
 */
u8 ocrFileRelease(ocrGuid_t fileGuid);

/*
 * The GUID of a file, from the content of its descriptor (depv[i].ptr). The file may have been
 * released. For NULL: ERROR_GUID.
 */
ocrGuid_t ocrFileGetGuid(void *descriptor);

/* The size of a file when it was opened, in bytes, from the content of its descriptor. For NULL: 0. */
u64 ocrFileGetSize(void *descriptor);

/*
 * Makes a part of a file a data block. It is read in the call; EDTs that get it through a pre-slot find
 * what is in the file, and zeros behind the end of it. If the file is writable and the part goes
 * beyond its end, the file is enlarged, in this call; if the file is not, it stays as it is.
 *
 *   chunkDbGuid  out: the GUID of the block, usable at once. The caller has not acquired it.
 *   fileGuid     the file
 *   offset       where the part begins, in bytes
 *   size         how long it is; with 0 it is a block without content
 *
 * Chunks of a file do not overlap, whether or not it is writable. One that was destroyed counts until
 * it has been written back.
 *
 * Errors: OCR_EINVAL (chunkDbGuid is NULL; not a file, or released; offset and size are more than a
 * file can have), OCR_EBUSY (there is a chunk in that part), OCR_ENOMEM (no memory for size bytes),
 * OCR_EPERM (no runtime runs); and with a warning that says more, OCR_EIO and others of ocrFileOpen
 * (the file cannot be read or enlarged). No chunk is made then.
 */
u8 ocrFileGetChunk(ocrGuid_t *chunkDbGuid, ocrGuid_t fileGuid, u64 offset, u64 size);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_FILE_H */
