/*
 * Wrong calls of the kernel interface: arity, kinds, names, slots, ranges, templates. Each is
 * answered with a code; the template goes on working.
 */
// clause: ocr-opencl.h ocr-variants.h
// needs: opencl
#include "kernel.h"
#include "opencl_facts.h"

static const char *source = "__kernel void adds(uint by, __global uint *words) { words[get_global_id(0)] += by; }\n"
                            "void helper(__global uint *words) { words[0] = 0; }\n";
enum { COUNT = 100 };

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        ((u32 *)depv[0].ptr)[i] += (u32)paramv[0];
    }
    return depv[0].guid;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i + 9 + 9 + 9);
    }
    ocrShutdown();
    return NULL_GUID;
}

/* Templates of other shapes than the kernel's (one parameter, one block). */
static void wrong_shapes(void) {
    static const u32 shapes[][2] = {{0, 1}, {2, 1}, {1, 0}, {1, 2}, {0, 2}, {2, 0}};
    const bool types = fact_argument_types();
    for (int i = 0; i < 6; i++) {
        if (shapes[i][0] + shapes[i][1] == 2 && !types) /* as many as the kernel takes, of other kinds */
            continue;
        ocrGuid_t tmpl = template_of(adds, shapes[i][0], shapes[i][1]), guid = NULL_GUID;
        if (shapes[i][0] == 1 && shapes[i][1] == 2) { /* the second pre-slot may be there to order alone */
            OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", per_word, OCR_NO_RESULT));
            OK(ocrEdtTemplateDestroy(tmpl));
            continue;
        }
        REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", per_word, OCR_NO_RESULT));
        OK(ocrEdtTemplateDestroy(tmpl));
        REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&guid, source, NULL, "adds", shapes[i][0], shapes[i][1], NULL));
        CHECK(ocrGuidIsNull(guid)); /* no template is left */
    }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(adds, 1, 1), guid, event = event_of(OCR_EVENT_STICKY_T);
    wrong_shapes();
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, source, NULL, "no_such_kernel", per_word, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, source, NULL, "helper", per_word, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, source, NULL, "", per_word, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, NULL, NULL, "adds", per_word, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, source, NULL, NULL, per_word, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", NULL, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", per_word, 1));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(event, source, NULL, "adds", per_word, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(NULL_GUID, source, NULL, "adds", per_word, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(ERROR_GUID, source, NULL, "adds", per_word, 0));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddFunction(event, adds, "adds"));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddFunction(NULL_GUID, adds, "adds"));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddFunction(tmpl, NULL, "adds"));
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&guid, source, NULL, "adds", EDT_PARAM_DEF, 1, NULL));
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&guid, source, NULL, "adds", 1, EDT_PARAM_DEF, NULL));
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(NULL, source, NULL, "adds", 1, 1, NULL));
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&guid, NULL, NULL, "adds", 1, 1, NULL));
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&guid, source, NULL, NULL, 1, 1, NULL));
    REFUSED(OCR_EINVAL, ocrOpenclTemplateCreate(&guid, source, NULL, "no_such_kernel", 1, 1, NULL));
    REFUSED(OCR_EINVAL, ocrStatsGet(NULL));

    /* Tasks. */
    ocrGuid_t kernel = kernel_of(source, "adds", 1, 1);
    size_t size[] = {COUNT, 1, 1, 1};
    u64 by = 9;
    REFUSED(OCR_EINVAL,
            ocrOpenclTaskCreate(&guid, kernel, 0, NULL, size, NULL, 1, &by, 1, NULL, EDT_PROP_NONE, NULL_GUID, NULL));
    REFUSED(OCR_EINVAL,
            ocrOpenclTaskCreate(&guid, kernel, 4, NULL, size, NULL, 1, &by, 1, NULL, EDT_PROP_NONE, NULL_GUID, NULL));
    REFUSED(OCR_EINVAL,
            ocrOpenclTaskCreate(&guid, kernel, 1, NULL, NULL, NULL, 1, &by, 1, NULL, EDT_PROP_NONE, NULL_GUID, NULL));
    REFUSED(OCR_EINVAL,
            ocrOpenclTaskCreate(&guid, tmpl, 1, NULL, size, NULL, 1, &by, 1, NULL, EDT_PROP_NONE, NULL_GUID, NULL));
    REFUSED(OCR_EINVAL,
            ocrOpenclTaskCreate(&guid, event, 1, NULL, size, NULL, 1, &by, 1, NULL, EDT_PROP_NONE, NULL_GUID, NULL));
    REFUSED(OCR_EINVAL, ocrOpenclTaskCreate(&guid, kernel, 1, NULL, size, NULL, EDT_PARAM_UNK, &by, 1, NULL,
                                            EDT_PROP_NONE, NULL_GUID, NULL));
    REFUSED(OCR_EINVAL, ocrOpenclTaskCreate(&guid, kernel, 1, NULL, size, NULL, 1, &by, EDT_PARAM_UNK, NULL,
                                            EDT_PROP_NONE, NULL_GUID, NULL));
    REFUSED(OCR_ENODEV,
            ocrOpenclTaskCreate(&guid, kernel, 1, NULL, size, NULL, 1, &by, 1, NULL, EDT_PROP_NONE, event, NULL));

    /* And now what is right: on the template with the function, then with the kernel too, then alone. */
    ocrGuid_t outputs[3], edts[3];
    edts[0] = edt_of(tmpl, 1, &by, 1, NULL, EDT_PROP_NONE, &outputs[0]);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", per_word, 0));
    edts[1] = edt_of(tmpl, 1, &by, 1, NULL, EDT_PROP_NONE, &outputs[1]);
    edts[2] = kernel_edt(kernel, COUNT, 1, &by, 1, &outputs[2]);
    ocrGuid_t block = words_block(COUNT, 0, 1), last = spawn(checks, 0, NULL, 2, NULL);
    link_to(outputs[0], edts[1], 0, DB_MODE_EW);
    link_to(outputs[1], edts[2], 0, DB_MODE_EW);
    link_to(outputs[2], last, 1, DB_MODE_NULL);
    link_to(block, last, 0, DB_MODE_RO);
    link_to(block, edts[0], 0, DB_MODE_EW);
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrEdtTemplateDestroy(kernel));
    return NULL_GUID;
}
