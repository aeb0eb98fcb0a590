/*
 * A template of ocrOpenclTemplateCreate to which a C function is added, under the policy `device`:
 * all its EDTs take that way; an EDT created before has the kernel alone.
 */
// clause: ocr-opencl.h ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
#define WANT_KERNELS 201
#include "kernel_policy.h"
