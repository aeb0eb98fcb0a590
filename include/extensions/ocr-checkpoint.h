/*
 * ocr-checkpoint.h - write down the state of a run, so that it can go on after a crash (extension: this
 * runtime's own; no clause of OCR 1.1.0 defines the function below).
 */
#ifndef OCR_API_EXT_CHECKPOINT_H
#define OCR_API_EXT_CHECKPOINT_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_CHECKPOINT
#define ENABLE_EXTENSION_CHECKPOINT 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Asks for a checkpoint: all objects of the run are written to a file in the directory that the setting
 * OCR_CHECKPOINT names. A program that is started with OCR_RESTORE goes on from the last one. What is outside
 * of data blocks and parameters of EDTs, such as global variables and open files, is not in a checkpoint.
 *
 * The call does not wait. The checkpoint is made when the EDTs that run now, the caller included, have ended.
 * No EDT begins before, unless an earlier checkpoint is being written: then it is made when that is there.
 * While EDTs or threads wait in a call, a block has parts or a file is open, none can be made. A warning says
 * so, and it is tried again.
 *
 * Returns 0 if a checkpoint will be made;
 *   OCR_ENOTSUP  OCR_CHECKPOINT is not set, or this run writes none;
 *   OCR_EPERM    no runtime runs.
 */
u8 ocrCheckpoint(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_CHECKPOINT_H */
