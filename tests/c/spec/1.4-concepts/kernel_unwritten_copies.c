/* kernel_unwritten.h: A device with memory of its own. */
// clause: 1.4.4 ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel_unwritten.h"
