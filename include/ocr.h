/*
 * ocr.h - the Open Community Runtime, interface version 1.1.0.
 *
 * A program includes this header, defines mainEdt (ocr-edt.h) and links the library (-locr). All
 * functions can be called from any EDT, and by a legacy program (extensions/ocr-legacy.h) from any
 * thread. They return at once; none waits for other EDTs but where its description says so.
 */
#ifndef OCR_API_H
#define OCR_API_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

/* -DOCR_TYPE_H=x86.h, as build files of OCR programs pass it, includes "ocr-options_x86.h". */
#ifdef OCR_TYPE_H
#define OCR_OPTIONS_STRING(name)  #name
#define OCR_OPTIONS_EXPAND(name)  OCR_OPTIONS_STRING(name)
#define OCR_OPTIONS_PREFIX(type)  ocr-options_##type
#define OCR_OPTIONS_HEADER(type)  OCR_OPTIONS_EXPAND(OCR_OPTIONS_PREFIX(type))
#include OCR_OPTIONS_HEADER(OCR_TYPE_H)
#endif

#include "ocr-errors.h"
#include "ocr-types.h"
#include "ocr-std.h"
#include "ocr-guid-functions.h"
#include "ocr-version.h"
#include "ocr-db.h"
#include "ocr-edt.h"
#include "extensions/ocr-hints.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Ends the program with exit status 0, or 1 if an EDT was missing in it (ocrEdtCreate). In a program
 * with its own main it ends the run instead (ocrLegacyFinalize); without a run it does nothing. EDTs
 * that are not runnable will not run; runnable ones may or may not. Any EDT may call it. It returns,
 * and the calling EDT runs to its end, but should not count on it: OCR 1.1.0 leaves open what happens
 * after the call. A program that neither calls it nor ocrAbort does not end by itself; when nothing is
 * left that could run, this runtime says which EDTs still wait, and for what, and ends it with a
 * non-zero status.
 * OCR 1.1.0, 2.3.1.
 */
void ocrShutdown(void);

/*
 * Ends the program abnormally with errorCode as its exit status. Work that is under way is dropped,
 * and the call does not return. In a program with its own main it ends the run instead
 * (ocrLegacyFinalize); without a run, the process.
 * OCR 1.1.0, 2.3.2.
 */
void ocrAbort(u8 errorCode);

/*
 * The program's arguments, from the data block that mainEdt finds in depv[0]; dbPtr is its ptr. The
 * block begins with a u64, the number of arguments; as many u64 follow, each the distance in bytes
 * from the start of the block to the text of one argument, which ends with a zero. It can be passed
 * on to other EDTs like any block. Argument 0 is the program's name. Options meant for the runtime
 * (-ocr:... and --ocr:...) have been taken out.
 *
 * The text lies in the block and is valid as long as dbPtr is. index must be less than the number
 * of arguments; a larger one gives NULL here, and is undefined elsewhere. So is a dbPtr that points
 * to something else, but NULL, which has no arguments here.
 *
 * getArgc and getArgv: OCR 1.1.0, 2.3.3 and 2.3.4. The others are their names in OCR 1.2.
 */
u64 getArgc(void *dbPtr);
char *getArgv(void *dbPtr, u64 index);
u64 ocrGetArgc(void *dbPtr);
char *ocrGetArgv(void *dbPtr, u64 index);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_H */
