/*
 * ocr-heterogeneous.h - function pointers that mean the same on all machines of a run (extension:
 * OCR-Vx).
 *
 * Where a run has processes with different addresses, a function is passed between them as a code.
 * This runtime has one process: a function's code is its address, and every function has one. The
 * functions here can be called at any time, by any thread.
 */
#ifndef OCR_API_EXT_HETEROGENEOUS_H
#define OCR_API_EXT_HETEROGENEOUS_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_HETEROGENEOUS
#define ENABLE_EXTENSION_HETEROGENEOUS 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*ocrFuncPtr_t)(void);

/*
 * The program may define this, with C linkage, to register its functions in the same order everywhere.
 * Where the library has the main it is called once, on the thread of that main, before the runtime is
 * started.
 */
extern void registerEdtFunctions(void);

/*
 * Registers a function, of an EDT or any other. The first name is spelt as the extension spells it.
 * There is nothing to be done here beyond the check.
 * Errors: OCR_EINVAL (funcPtr is NULL).
 */
u8 ocrRegisterEdtFuntion(ocrEdt_t funcPtr);
u8 ocrRegisterFunctionPointer(ocrFuncPtr_t funcPtr);

/*
 * The code of a function, which can be put into a parameter or a data block, and the function with
 * a code. NULL has code 0. A code is good for the run that made it, and for no other. Elsewhere a
 * function must be registered before it is encoded.
 */
u64 ocrEncodeFunctionPointer(ocrFuncPtr_t funcPtr);
ocrFuncPtr_t ocrDecodeFunctionPointer(u64 funcCode);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_HETEROGENEOUS_H */
