/* kernel_unwritten.h: A device with memory of its own. */
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel_unwritten.h"
