/* A duplicate ends before its kernel, on a device to which all is copied, and kernels that fail may run again. */
// clause: ocr-variants.h
// needs: opencl
// needs: signals
// workers: 1
// env: OCR_DEVICES=cpu
// env: OCR_SCHED=eft
// env: OCR_BIND=off
// env: OCR_STATS=1
// env: OCR_DUPLICATES=1
// env: OCR_RETRY=1
// env: OCR_DEVICE_FORCE_COPIES=1
// stderr: 1 EDTs whose functions workers have called while their kernels ran (OCR_DUPLICATES)
// stderr: 1 of these, EDTs whose functions ended before their kernels
// stdout-lines: 5 the function of an EDT has run
#include "kernel_duplicate_function.h"
