/*
 * A labeled block that a kernel has written is destroyed, and another one created on its label at once: the label is
 * free though the device still has to give its copy up.
 */
// clause: B.2.3 ocr-variants.h
// needs: opencl
// workers: 1 2
#include "kernel.h"
#include <extensions/ocr-labeling.h>

enum { TIMES = 100, WORDS = 1024 };

static const char *source = "__kernel void add_one(__global uint *values) {\n"
                            "    values[get_global_id(0)] += 1;\n"
                            "}\n";

static ocrGuid_t add_one;

static ocrGuid_t again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

/* Makes a block on the label, which the kernel and then `again` are to have. */
static void start(ocrGuid_t label, u64 times) {
    u32 *values;
    ocrGuid_t ended;
    OK(ocrDbCreate(&label, (void **)&values, WORDS * sizeof(u32), GUID_PROP_IS_LABELED, NULL_HINT, NO_ALLOC));
    for (u32 i = 0; i < WORDS; i++)
        values[i] = i + times;
    OK(ocrDbRelease(label));
    const ocrGuid_t edt = kernel_edt(add_one, WORDS, 0, NULL, 1, &ended);
    ocrGuid_t sources[] = {label, ended};
    spawn(again, 1, &times, 2, sources);
    link_to(label, edt, 0, DB_MODE_EW);
}

static ocrGuid_t again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(((u32 *)depv[0].ptr)[WORDS - 1], WORDS + paramv[0]);
    ocrGuid_t label = depv[0].guid;
    OK(ocrDbDestroy(label));
    if (paramv[0] == TIMES) {
        ocrShutdown();
        return NULL_GUID;
    }
    start(label, paramv[0] + 1);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, label;
    add_one = kernel_of(source, "add_one", 0, 1);
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_DB));
    OK(ocrGuidFromIndex(&label, range, 0));
    start(label, 1);
    return NULL_GUID;
}
