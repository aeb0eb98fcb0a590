/* kernel_unreleased.h: On a device whose memory is apart. */
// clause: 1.4.4 ocr-opencl.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel_unreleased.h"
