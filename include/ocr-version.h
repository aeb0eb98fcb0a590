/*
 * ocr-version.h - the version of the interface and the extensions that are there (OCR 1.1.0, 2.1).
 */
#ifndef OCR_API_VERSION_H
#define OCR_API_VERSION_H

#include "ocr-types.h"

#define OCR_VERSION       "1.1.0" /* of the interface, not of this library */
#define OCR_MAJOR_VERSION 1
#define OCR_MINOR_VERSION 1
#define OCR_PATCH_VERSION 0

/* Bits of OCR_VERSION_EXTENSION_BITMAP. */
#define EXTENSION_LEGACY_BITPOS      1
#define EXTENSION_AFFINITY_BITPOS    2
#define EXTENSION_PARAMS_EVT_BITPOS  3
#define EXTENSION_COUNTED_EVT_BITPOS 4
#define EXTENSION_RTITF_BITPOS       5
#define EXTENSION_PAUSE_BITPOS       6
#define EXTENSION_LABELING_BITPOS    7

#define OCR_VERSION_LEGACY_BIT      (1 << EXTENSION_LEGACY_BITPOS)
#define OCR_VERSION_AFFINITY_BIT    (1 << EXTENSION_AFFINITY_BITPOS)
#define OCR_VERSION_PARAMS_EVT_BIT  (1 << EXTENSION_PARAMS_EVT_BITPOS)
#define OCR_VERSION_COUNTED_EVT_BIT (1 << EXTENSION_COUNTED_EVT_BITPOS)
#define OCR_VERSION_RTITF_BIT       (1 << EXTENSION_RTITF_BITPOS)
#define OCR_VERSION_PAUSE_BIT       (1 << EXTENSION_PAUSE_BITPOS)
#define OCR_VERSION_LABELING_BIT    (1 << EXTENSION_LABELING_BITPOS)

/* The parts of a version string such as OCR_VERSION, as u32. */
#define OCR_VERSION_GET_MAJOR(vers) ocrVersionExtractMajor((u8 *)(vers))
#define OCR_VERSION_GET_MINOR(vers) ocrVersionExtractMinor((u8 *)(vers))
#define OCR_VERSION_GET_PATCH(vers) ocrVersionExtractPatch((u8 *)(vers))

/* The extensions that this library has: a sum of the bits above, as u64. */
#define OCR_VERSION_EXTENSION_BITMAP ocrVersionExtensionBitmap()

/* For creates that took an affinity in OCR 1.0 and take a hint since 1.1: picks the hint. */
#define PICK_1_1(hint, affinity) (hint)

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The first, second and third number of "a.b.c"; 0 where verstr is NULL or has no such number. The
 * string is read, not written. Functions behind the macros of OCR 1.1.0, 2.1.
 */
u32 ocrVersionExtractMajor(u8 *verstr);
u32 ocrVersionExtractMinor(u8 *verstr);
u32 ocrVersionExtractPatch(u8 *verstr);

/* All the bits above: each of these extensions is there. */
u64 ocrVersionExtensionBitmap(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_VERSION_H */
