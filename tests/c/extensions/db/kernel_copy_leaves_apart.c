/* kernel_copy_leaves.h: On a device whose memory is apart, in strict mode. */
// clause: ocr-db.h ocr-variants.h
// needs: opencl
// env: OCR_DEVICE_FORCE_COPIES=1
// env: OCR_CHECK=strict
#include "kernel_copy_leaves.h"
