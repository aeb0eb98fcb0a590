/* kernel_partition.h: On a device with little memory of its own. */
// clause: ocr-db-partitioning.h ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICE_FORCE_COPIES=1
// env: OCR_DEVICE_MEMORY=20K
#include "kernel_partition.h"
