/* kernel_unwritten.h: A device that shares memory with the host. */
// clause: 1.4.4 ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
#include "kernel_unwritten.h"
