/* An EDT that is an OpenCL kernel, with extensions/ocr-opencl.h.
 *
 * The template has no C function: its EDTs run on a device, or the program ends with a message that says which devices
 * were looked for. To dependences and data blocks they are EDTs like any other. The runtime brings the block to the
 * device for the kernel, and back to the host for the C function that looks at it.
 *
 * Prints: 1048576 elements times 3: ok */
#define _POSIX_C_SOURCE 200809L

#include <ocr.h>
#include <extensions/ocr-opencl.h>

#include "common/kernel-source.h"

#define ELEMENTS 1048576u
#define FACTOR   3u

static ocrGuid_t checkEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const u32 *elements = depv[0].ptr;
    for (u32 i = 0; i < ELEMENTS; i++) {
        if (elements[i] != i * FACTOR) {
            ocrPrintf("element %u is %u instead of %u\n", i, elements[i], i * FACTOR);
            ocrAbort(1);
            return NULL_GUID;
        }
    }
    ocrPrintf("%u elements times %u: ok\n", ELEMENTS, FACTOR);
    ocrDbDestroy(depv[0].guid);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char *source = kernelSource("vector-scale.cl");
    ocrGuid_t scaleTemplate, checkTemplate, scale, check, block, done;
    if (source == NULL ||
        ocrOpenclTemplateCreate(&scaleTemplate, source, NULL, "vector_scale", 1, 1, "vectorScale") != 0) {
        free(source);
        ocrAbort(1);
        return NULL_GUID;
    }
    free(source);
    ocrEdtTemplateCreate(&checkTemplate, checkEdt, 0, 2);

    void *ptr;
    ocrDbCreate(&block, &ptr, ELEMENTS * sizeof(u32), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    for (u32 i = 0; i < ELEMENTS; i++)
        ((u32 *)ptr)[i] = i;
    ocrDbRelease(block);

    const size_t global[] = { ELEMENTS };
    u64 factor = FACTOR; /* a parameter has 64 bits; the kernel's argument may be narrower */
    ocrOpenclTaskCreate(&scale, scaleTemplate, 1, NULL, global, NULL, EDT_PARAM_DEF, &factor, EDT_PARAM_DEF, NULL,
                        EDT_PROP_NONE, NULL_GUID, &done);
    ocrEdtCreate(&check, checkTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(block, check, 0, DB_MODE_CONST);
    ocrAddDependence(done, check, 1, DB_MODE_NULL); /* before the kernel can run, that is: */
    ocrAddDependence(block, scale, 0, DB_MODE_EW);
    ocrEdtTemplateDestroy(scaleTemplate);
    ocrEdtTemplateDestroy(checkTemplate);
    return NULL_GUID;
}
