/*
 * ocr-options_vdm.h - what ocr.h includes under -DOCR_TYPE_H=vdm.h.
 *
 * Programs written for the "vdm" build of OCR-Vx name their options this way. There is nothing to
 * choose here: one library serves all, and its options are read when the program starts.
 */
#ifndef OCR_API_OPTIONS_VDM_H
#define OCR_API_OPTIONS_VDM_H

#endif /* OCR_API_OPTIONS_VDM_H */
