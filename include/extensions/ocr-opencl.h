/*
 * ocr-opencl.h - EDTs that are OpenCL kernels (extension: OCR-Vx, OpenCL).
 *
 * The same machinery as extensions/ocr-variants.h, which says how parameters and data blocks become
 * kernel arguments; here the work-items are given with each EDT, and the template begins without a
 * C function. ocrEdtTemplateAddFunction adds one. OpenCL's own headers are not needed; where they
 * are installed, CL/cl.h is included, as in OCR-Vx.
 */
#ifndef OCR_API_EXT_OPENCL_H
#define OCR_API_EXT_OPENCL_H

#include "ocr-types.h"

#ifdef __has_include
#if __has_include(<CL/cl.h>)
#include <CL/cl.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __CL_PLATFORM_H
typedef u32 cl_uint; /* the same type as in CL/cl.h */
#endif

/*
 * Creates a template whose EDTs run an OpenCL kernel.
 *
 *   guid       out: its GUID, usable at once
 *   source     OpenCL C, copied
 *   options    for the OpenCL compiler; NULL for none
 *   kernelFnc  the kernel in source
 *   paramc     how many parameters, or EDT_PARAM_UNK
 *   depc       how many pre-slots, or EDT_PARAM_UNK
 *   name       of the template in messages and reports, copied; NULL: the kernel's
 *
 * The kernel's arguments are the parameters (narrower ones as in ocr-variants.h), then the data blocks
 * in slot order. A pre-slot without a block is a NULL buffer; the last pre-slots, if they never have
 * one and only order the EDT behind others, need no argument.
 *
 * Builds the program on every device in use, and returns when that is done. Where there is none,
 * the template is created all the same; its EDTs need a C function then.
 *
 * Errors: OCR_EINVAL (guid, source or kernelFnc is NULL; the program does not build or has no such
 * kernel, or the kernel's arguments do not match paramc and depc, with a message to the standard
 * error; EDT_PARAM_DEF as a number), OCR_ENOMEM. *guid is as before then.
 */
u8 ocrOpenclTemplateCreate(ocrGuid_t *guid, const char *source, const char *options,
                           const char *kernelFnc, u32 paramc, u32 depc, const char *name);

/*
 * Creates an EDT that runs the kernel of a template.
 *
 *   guid, templateGuid, paramc, paramv, depc, depv, properties, outputEvent  as in ocrEdtCreate, also
 *                       for when they can be used
 *   work_dim            1 to 3
 *   global_work_offset  work_dim numbers; NULL: all 0
 *   global_work_size    work_dim numbers; with a 0 the kernel does nothing, and the EDT ends
 *   local_work_size     work_dim numbers; NULL, or the first is 0: the runtime chooses one that the kernel
 *                       and the device permit
 *   affinity            the device, a GUID from ocrAffinityGet(AFFINITY_OCL, ...); NULL_GUID: the
 *                       runtime chooses; of AFFINITY_PD: it chooses a device of that node
 *
 * The arrays are copied. The output event carries no data block; it is a once event, with
 * EDT_PROP_FINISH too, where OCR-Vx has a latch event. What the device refuses when the kernel is
 * launched (local sizes that do not divide the global ones), or that no device has the kernel, ends the
 * program with a message.
 *
 * Errors: those of ocrEdtCreate, and OCR_EINVAL (the template has no kernel, work_dim is out of
 * range, global_work_size is NULL), OCR_ENODEV (affinity is neither a node nor a device in use).
 */
u8 ocrOpenclTaskCreate(ocrGuid_t *guid, ocrGuid_t templateGuid, u32 work_dim,
                       const size_t *global_work_offset, const size_t *global_work_size,
                       const size_t *local_work_size, u32 paramc, u64 *paramv, u32 depc,
                       ocrGuid_t *depv, u16 properties, ocrGuid_t affinity,
                       ocrGuid_t *outputEvent);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_OPENCL_H */
