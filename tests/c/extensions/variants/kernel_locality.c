/*
 * Under the policy "locality" an EDT goes where its blocks are: to the device that has written them, and to a worker
 * where the host has.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_SCHED=locality
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel.h"

enum { WORDS = 64, ROUNDS = 10 };

static const char *source = "__kernel void mark(__global uint *words) {\n"
                            "    words[get_global_id(0)] = 2;\n"
                            "}\n";

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        ((u32 *)depv[0].ptr)[i] = 1;
    return depv[0].guid;
}

/* By a kernel (2) or by the C function (1)? */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(((u32 *)depv[0].ptr)[WORDS - 1], paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t s_last;
static u32 s_slot;

/* An EDT with both variants on a block that a kernel or a C function has written, and one that checks which ran. */
static void after(ocrGuid_t writer, bool kernel, ocrGuid_t both) {
    ocrGuid_t written, output, ended, edt, block = bare_block(WORDS * sizeof(u32));
    ocrGuid_t writes = kernel ? kernel_edt(writer, WORDS, 0, NULL, 1, &written)
                              : edt_of(writer, 0, NULL, 1, NULL, EDT_PROP_NONE, &written);
    OK(ocrEdtCreate(&edt, both, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, &output));
    u64 wanted = kernel ? 2 : 1;
    ocrGuid_t check = spawn_with(checks, 1, &wanted, 1, NULL, EDT_PROP_NONE, &ended);
    link_to(ended, s_last, s_slot++, DB_MODE_NULL);
    link_to(output, check, 0, DB_MODE_RO);
    link_to(written, edt, 1, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_EW);
    link_to(block, writes, 0, DB_MODE_EW);
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t both = template_of(function, 0, 2), host = template_of(function, 0, 1);
    ocrGuid_t device = kernel_of(source, "mark", 0, 1);
    OK(ocrEdtTemplateAddKernel(both, source, NULL, "mark", per_word, 0));
    s_last = spawn(done, 0, NULL, 2 * ROUNDS, NULL);
    for (u32 i = 0; i < ROUNDS; i++) {
        after(host, false, both);
        after(device, true, both);
    }
    return NULL_GUID;
}
