/*
 * A template of ocrOpenclTemplateCreate to which a C function is added, under the policy `cpu`:
 * all its EDTs take that way; an EDT created before has the kernel alone. The statistics say why.
 */
// clause: ocr-opencl.h ocr-variants.h
// needs: opencl
// env: OCR_SCHED=cpu
// env: OCR_STATS=1
// stderr: ocr: note: EDTs of template "adds" ran as its C function: the policy cpu ($OCR_SCHED) sends EDTs that have a C
// stderr: a device only where a hint names it; under OCR_SCHED=eft others go there, too
#define WANT_KERNELS 1
#include "kernel_policy.h"
