/* kernel_two_devices.h: On two devices that work in host memory. */
// clause: ocr-opencl.h
// unordered: readers in mode RO beside the writers of the same block
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: POCL_DEVICES=pthread basic
#include "kernel_two_devices.h"
