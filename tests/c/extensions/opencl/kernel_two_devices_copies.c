/* kernel_two_devices.h: On two devices that have memory of their own. */
// clause: ocr-opencl.h
// unordered: readers in mode RO beside the writers of the same block
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: POCL_DEVICES=pthread basic
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel_two_devices.h"
