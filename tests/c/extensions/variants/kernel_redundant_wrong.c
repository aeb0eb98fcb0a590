/* OCR_REDUNDANT names the block and the byte in which a kernel differs from its function, blocks that are only read
 * included, and the other block that it passes on. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=2
// status: 1
// stdout: all is as the functions have left it
// stderr: (forgets): its kernel "forgets" on
// stderr: on pre-slot 0 (DB_MODE_RW, 256 bytes): 2 of 256 bytes differ, the first at offset 252: 3f 01 00 00 there after the function, 00 00 00 00 after the kernel
// stderr: on pre-slot 1 (DB_MODE_CONST, 256 bytes): 1 of 256 bytes differs, the first at offset 32: 08 00 00 00 09 00 00 00 there after the function, 07 00 00 00 09 00 00 00 after the kernel. Another block of the EDT differs, too.
// stderr: its kernel "passes" on
// stderr: the result slot of the kernel (ocrEdtTemplateAddKernel) has to name the pre-slot whose block the function returns
// stderr: on pre-slot 0 (DB_MODE_RO, 256 bytes): 1 of 256 bytes differs, the first at offset 8: 09 00 00 00 03 00 00 00 there after the function, 02 00 00 00 03 00 00 00 after the kernel
// stderr: 5 EDTs of "forgets" ran as the C function and as a kernel: 0 left the same, 5 did not
// stderr: the program ends with status 1: 8 EDTs left something else as a kernel than as the C function
#include "kernel_redundant_wrong.h"
