/*
 * ocr-options_vsm.h - what ocr.h includes under -DOCR_TYPE_H=vsm.h.
 *
 * Programs written for the "vsm" build of OCR-Vx name their options this way. There is nothing to
 * choose here: one library serves all, and its options are read when the program starts.
 */
#ifndef OCR_API_OPTIONS_VSM_H
#define OCR_API_OPTIONS_VSM_H

#include "ocr-options_v1.h"

#endif /* OCR_API_OPTIONS_VSM_H */
