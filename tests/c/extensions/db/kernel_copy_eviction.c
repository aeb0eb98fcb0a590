/* kernel_copy.h: On a device whose memory is apart, and small: pieces leave it all the time. In strict mode. */
// clause: ocr-db.h ocr-variants.h
// needs: opencl
// env: OCR_DEVICE_FORCE_COPIES=1
// env: OCR_DEVICE_MEMORY=300K
// env: OCR_CHECK=strict
#include "kernel_copy.h"
