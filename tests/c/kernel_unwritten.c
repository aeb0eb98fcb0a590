/* kernel_unwritten.h: A device that shares memory with the host. */
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
#include "kernel_unwritten.h"
