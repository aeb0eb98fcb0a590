/* kernel_partition.h: As it is. */
// clause: ocr-db-partitioning.h ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
#include "kernel_partition.h"
