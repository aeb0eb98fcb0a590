/*
 * ocr-hints.h - advice to the runtime about objects (OCR 1.1.0, B.1). ocr.h includes this header.
 *
 * A hint never changes what a program computes: the runtime uses the properties that it knows how
 * to use, and ignores the others. Which properties there are: ocrHintProp_t.
 */
#ifndef OCR_API_EXT_HINTS_H
#define OCR_API_EXT_HINTS_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes *hint an empty hint for one kind of object. Comes first; called again, it empties the hint.
 * Errors: OCR_EINVAL (hint is NULL, no such kind). OCR 1.1.0, B.1.2.
 */
u8 ocrHintInit(ocrHint_t *hint, ocrHintType_t hintType);

/*
 * Sets a property to a value, in *hint alone. With NULL_HINT nothing happens, and 0 is returned.
 * Errors: OCR_EINVAL (the property is not one of that kind of object).
 * OCR 1.1.0, B.1.3, where the value is signed; OCR 1.2 made it unsigned.
 */
u8 ocrSetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 value);

/*
 * Takes a property out of *hint; fine if it is not set.
 * Errors: OCR_EINVAL (hint is NULL, the property is not one of that kind). OCR 1.1.0, B.1.4.
 */
u8 ocrUnsetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp);

/*
 * Reads a property of *hint.
 * Errors: OCR_EINVAL (hint or value is NULL, the property is not one of that kind), OCR_ENOENT (it
 * is not set; *value is as before). OCR 1.1.0, B.1.5.
 */
u8 ocrGetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 *value);

/*
 * Gives an object the properties that are set in *hint; its others stay. Those of a template are
 * where its EDTs begin, from the next that is created on. Has an effect on an EDT only until it is
 * runnable. *hint is copied.
 * Errors: OCR_EINVAL (no such object, or the hint is for another kind), OCR_EFAULT (some values
 * cannot be; the others are set). OCR 1.1.0, B.1.6.
 */
u8 ocrSetHint(ocrGuid_t guid, ocrHint_t *hint);

/*
 * Adds the properties of an object to *hint; those that only *hint has stay there.
 * Errors: OCR_EINVAL (no such object, or the hint is for another kind). OCR 1.1.0, B.1.7.
 */
u8 ocrGetHint(ocrGuid_t guid, ocrHint_t *hint);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_HINTS_H */
