/* OCR_REDUNDANT compares bit by bit, and names the tolerance with which numbers that are hardly apart are
 * alike. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=2
// status: 1
// stderr: the first at offset 0: 00 00 c8 c2
// stderr: If the block has numbers of type f32, they are apart by little
// stderr: OCR_REDUNDANT=2:f32:1e-5 takes them for alike
#include "kernel_redundant_floats.h"
