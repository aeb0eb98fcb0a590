/* As kernel_ahead.c, on a device whose memory is apart. */
// clause: ocr-variants.h
// unordered: readers in mode RO beside the chain of writers
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICE_FORCE_COPIES=1
#define WANT_AHEAD (FIRST - 1)
#include "kernel_ahead.h"
