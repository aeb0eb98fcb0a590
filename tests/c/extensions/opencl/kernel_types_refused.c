/* Arguments for which nothing can be given are refused when the kernel is added, each with what it is and what to do.
 */
// clause: ocr-opencl.h
// needs: opencl
// workers: 2
// stderr: argument 0, 'pair p', gets parameter 0; it is a value of 16 bytes, and a parameter has 8
// stderr: argument 0, 'four f', gets parameter 0; it is a value of 16 bytes
// stderr: argument 0, 'huge h', gets parameter 0; it is a value of
// stderr: argument 0, 'how s', gets parameter 0; it is of a type whose size the compiler of this device does not tell
// stderr: argument 0, 'sampler_t s', gets parameter 0; it is an image, a sampler
// stderr: argument 0, 'image2d_t i', gets parameter 0; it is an image, a sampler
// stderr: argument 0, 'struct hidden h', gets parameter 0; it is of a type whose size
// stderr: argument 1, 'local int *l', gets the block of slot 0; it is a pointer to local memory
// stderr: argument 0, 'global pair *p', gets parameter 0; it is a pointer
// stderr: argument 0, 'color c', gets the block of slot 0; it is a value
#include "kernel.h"

static void refused(const char *arguments, u32 paramc) {
    static const char types[] = "typedef struct { long a; int b; } pair;\n"
                                "typedef float4 four; typedef sampler_t how; typedef global pair *pair_pointer;\n"
                                "typedef enum { RED } color; typedef struct { int x[2000]; } huge;\n";
    char source[1000];
    ocrGuid_t guid;
    snprintf(source, sizeof source, "%skernel void refused(%s, global int *out) { out[0] = 1; }", types, arguments);
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&guid, source, NULL, "refused", paramc, 2 - paramc, arguments));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    refused("pair p", 1);
    refused("four f", 1);
    refused("huge h", 1);
    refused("how s", 1);
    refused("sampler_t s", 1);
    refused("read_only image2d_t i", 1);
    refused("struct hidden { int a; } h", 1);
    refused("pair_pointer p", 1);
    refused("color c", 0);
    ocrGuid_t guid;
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&guid, "kernel void tile(int n, local int *l) { l[0] = n; }", NULL,
                                                "tile", 1, 1, NULL));
    /* PoCL calls its own function by another name, and the kernel with it. Elsewhere it may be a kernel as any other.
     */
    if (ocrOpenclTemplateCreate(&guid, "kernel void any(global int *out) { out[0] = 1; }", NULL, "any", 0, 1,
                                NULL) == 0)
        OK(ocrEdtTemplateDestroy(guid));
    ocrShutdown();
    return NULL_GUID;
}
