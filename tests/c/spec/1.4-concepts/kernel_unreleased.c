/* kernel_unreleased.h: Where the device works in host memory, if it does. */
// clause: 1.4.4 ocr-opencl.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
#include "kernel_unreleased.h"
