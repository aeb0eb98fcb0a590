/* None is enqueued ahead where the setting says so. */
// clause: ocr-variants.h
// unordered: readers in mode RO beside the chain of writers
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICE_AHEAD=0
#define WANT_AHEAD (0)
#include "kernel_ahead.h"
