/* kernel_unreleased.h: Where the device works in host memory, if it does. */
// clause: 1.4.4 ocr-opencl.h
// unordered: kernels in mode RO beside those that hold their block for writing
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
#include "kernel_unreleased.h"
