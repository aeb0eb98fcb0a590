/*
 * ocr-options_v1.h - what ocr.h includes under -DOCR_TYPE_H=v1.h.
 *
 * Programs written for the "v1" build of OCR-Vx name their options this way. There is nothing to
 * choose here: one library serves all, and its options are read when the program starts.
 */
#ifndef OCR_API_OPTIONS_V1_H
#define OCR_API_OPTIONS_V1_H

/* As there, programs find these extensions on before they include their headers. */
#ifndef ENABLE_EXTENSION_AFFINITY
#define ENABLE_EXTENSION_AFFINITY 1
#endif
#ifndef ENABLE_EXTENSION_DEBUG
#define ENABLE_EXTENSION_DEBUG 1
#endif
#ifndef ENABLE_EXTENSION_LABELING
#define ENABLE_EXTENSION_LABELING 1
#endif
#ifndef ENABLE_EXTENSION_RTITF
#define ENABLE_EXTENSION_RTITF 1
#endif

#endif /* OCR_API_OPTIONS_V1_H */
