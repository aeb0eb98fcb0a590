/* kernel_copy.h: On a device that shares the memory of the host. */
// clause: ocr-db.h ocr-variants.h
// needs: opencl
#include "kernel_copy.h"
