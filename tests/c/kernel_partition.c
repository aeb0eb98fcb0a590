/* kernel_partition.h: As it is. */
// needs: opencl
// env: OCR_SCHED=device
#include "kernel_partition.h"
