/*
 * ocr-options_x86.h - what ocr.h includes under -DOCR_TYPE_H=x86.h.
 *
 * Programs written for the x86 build of other OCR runtimes name their options this way. There is
 * nothing to choose here: one library serves all, and its options are read when the program starts.
 */
#ifndef OCR_API_OPTIONS_X86_H
#define OCR_API_OPTIONS_X86_H

#endif /* OCR_API_OPTIONS_X86_H */
