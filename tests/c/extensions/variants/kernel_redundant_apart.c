/* Numbers that are apart by more than the tolerance are shown as numbers, with how far they are apart. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=3:f32:1e-7
// status: 1
// stderr: 99 of 100 numbers of type f32 differ, the first at offset 0: -1e2 there after the function, -1.0000009e2 after the kernel; two are apart by 1.0e-6 of the larger at most
// stderr: Two runs as a kernel have left the same
#include "kernel_redundant_floats.h"
