/*
 * ocr-variants.h - several ways to do the work of an EDT (extension: this runtime).
 *
 * An EDT template can carry, beside its C function, OpenCL kernels that do the same work. When an
 * EDT has become runnable, the scheduler picks one of the variants and a place where it can run: a
 * worker for a function, an OpenCL device for a kernel. Data blocks are brought to where they are
 * needed. The program sees no difference but in time.
 *
 * An EDT has the variants that its template had when the EDT was created. If none of them can run,
 * for instance because there is no device for its only kernel, the program ends with a message that
 * says why.
 *
 * Arguments of a kernel are the parameters of the EDT in order, then its data blocks in slot order:
 *
 *  - A parameter is 64 bits wide. A narrower integer argument gets it if the value fits; if it does
 *    not, the launch fails with a message. A double takes its bits, a float the low 32 (copied into a
 *    u64 that was 0). An enum is an integer, and a typedef what it stands for.
 *  - A struct, a union or a vector of up to 8 bytes is one parameter, too: its bytes, copied into a u64
 *    that was 0, and laid out as the device's compiler does. The type stands in the source before the
 *    kernel. One that is larger goes into a data block, or its parts into parameters of their own.
 *  - A data block is a __global or __constant pointer. In mode RO or CONST the kernel may only read
 *    from it, in RW and EW write, too. A pre-slot without a block (NULL_GUID, DB_MODE_NULL) is a NULL
 *    buffer.
 *  - The last pre-slots need no arguments if all that they do is to order the EDT behind others: a
 *    kernel with P parameters and A arguments gets the first A - P pre-slots. Each launch looks at the
 *    others: where one has a block (it was satisfied with one, in another mode than DB_MODE_NULL), the
 *    kernel is not run, and a message names the pre-slot and the block. If the EDT has a C function as
 *    well, that runs in place of the kernel; otherwise the program ends with status 1.
 *  - A kernel with other arguments (values of more than 8 bytes, __local pointers, images, samplers,
 *    pipes, or values whose size the device's compiler does not tell) is refused.
 *
 * Like a function, the kernel may run at any time between the acquisition and the release of its
 * blocks; the output event is satisfied when it has finished and they are released.
 */
#ifndef OCR_API_EXT_VARIANTS_H
#define OCR_API_EXT_VARIANTS_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The work-items of one launch, as OpenCL counts them. Only the first workDim elements count. */
typedef struct {
    u32    workDim;                       /* 1..3 */
    size_t globalOffset[3], globalSize[3];
    size_t localSize[3];                  /* localSize[0] == 0: the runtime chooses one that the kernel
                                             and the device permit */
} ocrNdRange_t;

/*
 * Says how many work-items an EDT needs: fills *range, which it finds zeroed, from the EDT's
 * parameters and from the sizes in bytes of its data blocks (0 for a pre-slot without one). Called
 * once for each launch, when all is known; the answer depends on the arguments alone. It runs on a
 * thread of the runtime, is not an EDT, and calls no function of the interface. paramv and depSizes
 * are NULL where there are none. If globalSize stays 0, the kernel does nothing, the EDT ends, and a
 * warning says so once.
 */
typedef void (*ocrNdRangeFn_t)(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes,
                               ocrNdRange_t *range);

#define OCR_NO_RESULT ((u32)-1) /* the output event carries no block */

/*
 * Adds an OpenCL kernel to a template.
 *
 *   templateGuid  the template
 *   source        OpenCL C, copied. Calls with the same source, options and kernel share one
 *                 program, whatever their templates.
 *   options       for the OpenCL compiler; NULL for none. The runtime adds -DOCR_DEVICE_CPU=1, or
 *                 -DOCR_DEVICE_GPU=1 for other devices. If they begin with -ocr-device=cpu or
 *                 -ocr-device=gpu, the kernel is for such devices only (gpu: all but CPUs).
 *   kernelName    the kernel in source
 *   range         its work-items
 *   resultSlot    the pre-slot whose block the EDT passes to its output event, as a function does
 *                 by returning the block's GUID; or OCR_NO_RESULT
 *
 * Builds the program on every device in use (OCR_DEVICES), which may take long, and returns when
 * that is done. EDTs created after that have the variant. Where there is no device the call returns
 * 0 as well, and the variant is recorded but never chosen: a program need not ask first. With
 * OCR_DEVICES=auto, the default, a CPU device is used only by templates that have no C function
 * when the kernel is added, and by EDTs with a hint that names it (ocr-affinity.h). Of several kernels
 * for a device, the one that was added first is run, but one of ocrOpenclTemplateCreate, which has no
 * range function, after the others. An EDT that no variant can run ends the program with the reason.
 *
 * If the template fixes its numbers of parameters and pre-slots, the number and kinds of the
 * kernel's arguments are checked now: there must be one for each parameter, and no more than
 * parameters and pre-slots. Otherwise, each launch checks them.
 *
 * Errors: OCR_EINVAL (not a template; source, kernelName or range is NULL; no pre-slot resultSlot;
 * or the program does not build or has no such kernel, or the kernel's arguments do not match: then
 * a message with the compiler's log goes to the standard error). After an error the template has
 * the variants that it had before. Without memory for the variant the program ends with a message.
 */
u8 ocrEdtTemplateAddKernel(ocrGuid_t templateGuid, const char *source, const char *options,
                           const char *kernelName, ocrNdRangeFn_t range, u32 resultSlot);

/*
 * Gives a template a C function: a template of ocrOpenclTemplateCreate its first one, others a new
 * one in place of theirs. EDTs created after the call have the variant.
 *
 *   templateGuid  the template
 *   function      as in ocrEdtTemplateCreate
 *   name          what messages and reports call the template from then on; copied; NULL: as before
 *
 * Errors: OCR_EINVAL (not a template, function is NULL).
 */
u8 ocrEdtTemplateAddFunction(ocrGuid_t templateGuid, ocrEdt_t function, const char *name);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_VARIANTS_H */
