/* kernel_copy.h: On a device whose memory is apart. */
// clause: ocr-db.h ocr-variants.h
// needs: opencl
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel_copy.h"
