/* kernel_unreleased.h: On a device with little memory of its own, so that buffers leave it between two kernels. */
// clause: 1.4.4 ocr-opencl.h
// unordered: kernels in mode RO beside those that hold their block for writing
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
// env: OCR_DEVICE_MEMORY=6K
#include "kernel_unreleased.h"
