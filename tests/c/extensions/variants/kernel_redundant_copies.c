/* As kernel_redundant.c, with two runs as a kernel, under the policy that uses no device, on a device to which all is
 * copied. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=3
// env: OCR_SCHED=cpu
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
// stderr: 24 EDTs of "blend" ran as the C function and as a kernel: all left the same
// stderr: 16 EDTs of "part" ran as the C function and as a kernel: all left the same
// stderr-without: error
#include "kernel_redundant.h"
