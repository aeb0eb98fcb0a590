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

/*
 * Bits of OCR_VERSION_EXTENSION_BITMAP, with the header of the extension; without, it is ocr-edt.h. The
 * positions to that of labeling are those of OCR 1.2, the others this runtime's own.
 */
#define EXTENSION_LEGACY_BITPOS           1  /* extensions/ocr-legacy.h */
#define EXTENSION_AFFINITY_BITPOS         2  /* extensions/ocr-affinity.h */
#define EXTENSION_PARAMS_EVT_BITPOS       3
#define EXTENSION_COUNTED_EVT_BITPOS      4
#define EXTENSION_RTITF_BITPOS            5  /* extensions/ocr-runtime-itf.h */
#define EXTENSION_PAUSE_BITPOS            6  /* extensions/ocr-pause.h */
#define EXTENSION_LABELING_BITPOS         7  /* extensions/ocr-labeling.h */
#define EXTENSION_HINTS_BITPOS            8  /* extensions/ocr-hints.h */
#define EXTENSION_CHANNEL_EVT_BITPOS      9
#define EXTENSION_COLLECTIVE_EVT_BITPOS   10 /* extensions/ocr-reduction-event.h */
#define EXTENSION_MULTI_OUTPUT_SLOT_BITPOS 11
#define EXTENSION_DB_INFO_BITPOS          12 /* extensions/ocr-db-info.h */
#define EXTENSION_DEBUG_BITPOS            13 /* extensions/ocr-debug.h */
#define EXTENSION_HETEROGENEOUS_BITPOS    14 /* extensions/ocr-heterogeneous.h */
#define EXTENSION_BYVALUE_DB_BITPOS       15 /* extensions/ocr-db-by-value.h */
#define EXTENSION_DB_PARTITIONING_BITPOS  16 /* extensions/ocr-db-partitioning.h */
#define EXTENSION_FILE_BITPOS             17 /* extensions/ocr-file.h */
#define EXTENSION_MAP_CREATOR_BITPOS      18 /* extensions/ocr-map-creator.h */
#define EXTENSION_OPENCL_BITPOS           19 /* extensions/ocr-opencl.h */
#define EXTENSION_PDL_BITPOS              20 /* extensions/ocr-pdl.h */
#define EXTENSION_VARIANTS_BITPOS         21 /* extensions/ocr-variants.h */
#define EXTENSION_STATS_BITPOS            22 /* extensions/ocr-stats.h */
#define EXTENSION_CHECKPOINT_BITPOS       23 /* extensions/ocr-checkpoint.h */

#define OCR_VERSION_LEGACY_BIT         (1 << EXTENSION_LEGACY_BITPOS)
#define OCR_VERSION_AFFINITY_BIT       (1 << EXTENSION_AFFINITY_BITPOS)
#define OCR_VERSION_PARAMS_EVT_BIT     (1 << EXTENSION_PARAMS_EVT_BITPOS)
#define OCR_VERSION_COUNTED_EVT_BIT    (1 << EXTENSION_COUNTED_EVT_BITPOS)
#define OCR_VERSION_RTITF_BIT          (1 << EXTENSION_RTITF_BITPOS)
#define OCR_VERSION_PAUSE_BIT          (1 << EXTENSION_PAUSE_BITPOS)
#define OCR_VERSION_LABELING_BIT       (1 << EXTENSION_LABELING_BITPOS)
#define OCR_VERSION_HINTS_BIT          (1 << EXTENSION_HINTS_BITPOS)
#define OCR_VERSION_CHANNEL_EVT_BIT    (1 << EXTENSION_CHANNEL_EVT_BITPOS)
#define OCR_VERSION_COLLECTIVE_EVT_BIT (1 << EXTENSION_COLLECTIVE_EVT_BITPOS)
#define OCR_VERSION_MULTI_OUTPUT_SLOT_BIT (1 << EXTENSION_MULTI_OUTPUT_SLOT_BITPOS)
#define OCR_VERSION_DB_INFO_BIT        (1 << EXTENSION_DB_INFO_BITPOS)
#define OCR_VERSION_DEBUG_BIT          (1 << EXTENSION_DEBUG_BITPOS)
#define OCR_VERSION_HETEROGENEOUS_BIT  (1 << EXTENSION_HETEROGENEOUS_BITPOS)
#define OCR_VERSION_BYVALUE_DB_BIT     (1 << EXTENSION_BYVALUE_DB_BITPOS)
#define OCR_VERSION_DB_PARTITIONING_BIT (1 << EXTENSION_DB_PARTITIONING_BITPOS)
#define OCR_VERSION_FILE_BIT           (1 << EXTENSION_FILE_BITPOS)
#define OCR_VERSION_MAP_CREATOR_BIT    (1 << EXTENSION_MAP_CREATOR_BITPOS)
#define OCR_VERSION_OPENCL_BIT         (1 << EXTENSION_OPENCL_BITPOS)
#define OCR_VERSION_PDL_BIT            (1 << EXTENSION_PDL_BITPOS)
#define OCR_VERSION_VARIANTS_BIT       (1 << EXTENSION_VARIANTS_BITPOS)
#define OCR_VERSION_STATS_BIT          (1 << EXTENSION_STATS_BITPOS)
#define OCR_VERSION_CHECKPOINT_BIT     (1 << EXTENSION_CHECKPOINT_BITPOS)

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
