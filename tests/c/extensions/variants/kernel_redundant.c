/* OCR_REDUNDANT compares what kernels leave with what functions leave, by default on the devices that there are: right
 * ones leave the same, and the program is as it is without. */
// clause: ocr-variants.h
// needs: opencl
// revisions: plain strict
// env: OCR_REDUNDANT=2
// stderr: 24 EDTs of "blend" ran as the C function and as a kernel: all left the same
// stderr: 16 EDTs of "part" ran as the C function and as a kernel: all left the same
// stderr-without: error
#include "kernel_redundant.h"
