/* kernel_partition.h: On a device whose memory is apart. */
// clause: ocr-db-partitioning.h ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel_partition.h"
