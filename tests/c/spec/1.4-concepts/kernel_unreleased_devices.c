/* kernel_unreleased.h: On two devices, each with memory of its own. */
// clause: 1.4.4 ocr-opencl.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
// env: POCL_DEVICES=pthread basic
#include "kernel_unreleased.h"
