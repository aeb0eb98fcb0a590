/* The tolerance that kernel_redundant_bits.c is advised to take is enough. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=2:f32:1e-5
// stderr: 1 EDT of "grows" ran as the C function and as a kernel: all left the same
// stderr-without: error
#include "kernel_redundant_floats.h"
