/*
 * What a kernel writes that was sent to its device before ocrShutdown is in the chunk that is left, as a whole: the
 * file is written when the kernel has ended. Here the device has not even begun with it when the run ends.
 */
// clause: ocr-file.h ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// stdout-lines: 1 the file is right
#include "file.h"
#include "kernel.h"
#include <extensions/ocr-legacy.h>
#include <stdatomic.h>

#define WORDS (1 << 22)

static char name[64];
static atomic_bool held_up, shut_down, filled;
static const char source[] = "kernel void begins(global uint *one, global uint *after) { one[0] = 1; }\n"
                             "kernel void writes(global uint *x) { x[get_global_id(0)] = 2; }\n";

/* Whether the runtime has begun to write the chunk to the file. */
static bool is_written(void) {
    u32 first;
    FILE *file = fopen(name, "rb");
    CHECK(file != NULL);
    CHECK_EQ(fread(&first, sizeof first, 1, file), 1);
    fclose(file);
    return first != 0;
}

/* The device's manager calls this, and does nothing else until the runtime has had time to write the chunk. */
static void holds_up(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    atomic_store(&held_up, true);
    while (!atomic_load(&shut_down))
        breathe();
    for (int i = 0; i < 1000 && !is_written(); i++)
        breathe();
    one_item(paramc, paramv, depc, sizes, range);
}

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        ((u32 *)depv[0].ptr)[i] = 1;
    OK(ocrDbRelease(depv[0].guid));
    atomic_store(&filled, true);
    return NULL_GUID;
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"its kernel runs");
    return NULL_GUID;
}

static ocrGuid_t of_kernel(const char *kernel, u32 depc, ocrNdRangeFn_t range) {
    ocrGuid_t tmpl = template_of(never, 0, depc);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, kernel, range, OCR_NO_RESULT));
    return edt_of(tmpl, 0, NULL, depc, NULL, EDT_PROP_NONE, NULL);
}

int main(void) {
    ocrGuid_t context, file, chunk, begun;
    ocrConfig_t config = {0};
    size_t size;
    file_name(name, "kernel_file_shutdown");
    ocrLegacyInit(&context, &config);
    OK(ocrFileOpen(&file, name, "w", NULL, 0));
    OK(ocrFileGetChunk(&chunk, file, 0, WORDS * sizeof(u32)));
    spawn(fills, 0, NULL, 1, &chunk);
    ocrGuid_t first = kernel_of(source, "begins", 0, 2), begins = kernel_edt(first, 1, 0, NULL, 2, &begun);
    ocrGuid_t follows = of_kernel("begins", 2, holds_up), writes = of_kernel("writes", 1, per_word);
    link_to(words_block(1, 0, 0), follows, 0, DB_MODE_EW);
    link_to(begun, follows, 1, DB_MODE_NULL);
    link_to(words_block(1, 0, 0), begins, 0, DB_MODE_EW);
    link_to(NULL_GUID, begins, 1, DB_MODE_NULL);
    while (!atomic_load(&held_up) || !atomic_load(&filled))
        breathe();
    link_to(chunk, writes, 0, DB_MODE_EW); /* which sends it to the device */
    ocrShutdown();
    atomic_store(&shut_down, true);
    OK(ocrLegacyFinalize(context, true));
    u32 *numbers = (u32 *)read_file(name, &size);
    CHECK_EQ(size, WORDS * sizeof *numbers);
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(numbers[i], 2);
    free(numbers);
    CHECK_EQ(unlink(name), 0);
    puts("the file is right");
    return 0;
}
