/* kernel_unreleased.h: On a device whose memory is apart. */
// clause: 1.4.4 ocr-opencl.h
// unordered: kernels in mode RO beside those that hold their block for writing
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel_unreleased.h"
