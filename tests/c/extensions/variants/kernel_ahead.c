/* Each kernel but the first is enqueued ahead. */
// clause: ocr-variants.h
// unordered: readers in mode RO beside the chain of writers
// needs: opencl
// env: OCR_SCHED=device
#define WANT_AHEAD (FIRST - 1)
#include "kernel_ahead.h"
