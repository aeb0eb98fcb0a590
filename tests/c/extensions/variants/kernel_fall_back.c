/*
 * An EDT whose kernel cannot be launched runs its C function instead, while kernels write blocks that it shares with
 * them in RW mode. One block is a chunk of a file and was destroyed meanwhile, one is divided, and of a third one
 * the EDT keeps out a kernel that shares the first two. No write is lost, and no EDT waits indefinitely.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_DEVICE_FORCE_COPIES=1
// env: OCR_SCHED=device
// stderr: ran its C function
// stdout-lines: 1 the file is right
#include "file.h"
#include "kernel.h"
#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-legacy.h>
#include <stdatomic.h>

#define WORDS 4096
#define WRITERS 4
#define FAILS 1 /* this one of them */

static char name[64];
static atomic_bool held_up, all_there;
static const char source[] =
    "#define ARGUMENTS global uint *chunk, global uint *divided, global uint *third\n"
    "#define WRITE { for (uint i = n; i < 4096; i += 4) { chunk[i] += i; divided[i] += i; } third[n] = 1; }\n"
    "kernel void writes(uint n, ARGUMENTS) WRITE\n"
    "kernel void fails(uchar n, ARGUMENTS) WRITE /* its parameter is too large */\n"
    "kernel void begins(global uint *one, global uint *after) { one[0] = 1; }\n";

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(paramv[0] & 255, FAILS);
    u32 *chunk = depv[0].ptr, *divided = depv[1].ptr;
    for (u32 i = FAILS; i < WORDS; i += WRITERS) {
        if (i < 10 * WRITERS)
            breathe();
        chunk[i] += i;
        divided[i] += i;
    }
    ((u32 *)depv[2].ptr)[FAILS] = 1;
    return NULL_GUID;
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"its kernel runs");
    return NULL_GUID;
}

/* The device's manager calls this, and does nothing else until the EDTs are there that share the blocks. */
static void holds_up(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    atomic_store(&held_up, true);
    while (!atomic_load(&all_there))
        breathe();
    one_item(paramc, paramv, depc, sizes, range);
}

static ocrGuid_t ends_part(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(((u32 *)depv[WRITERS].ptr)[i], i);
    for (u32 i = 0; i < WRITERS; i++)
        CHECK_EQ(((u32 *)depv[WRITERS + 1].ptr)[i], i == FAILS || i == FAILS + 1);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t of_kernel(ocrEdt_t function, const char *kernel, u32 paramc, u32 depc, ocrNdRangeFn_t range) {
    ocrGuid_t tmpl = template_of(function, paramc, depc);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, kernel, range, OCR_NO_RESULT));
    return tmpl;
}

int main(void) {
    ocrGuid_t context, file, chunk, output;
    ocrConfig_t config = {0};
    size_t size;
    file_name(name, "kernel_fall_back");
    ocrLegacyInit(&context, &config);
    OK(ocrFileOpen(&file, name, "w", NULL, 0));
    OK(ocrFileGetChunk(&chunk, file, 0, WORDS * sizeof(u32)));
    OK(ocrFileRelease(file));
    ocrGuid_t divided = words_block(WORDS, 0, 0), third = words_block(WRITERS, 0, 0);
    ocrGuid_t good = of_kernel(never, "writes", 1, 3, one_item), bad = of_kernel(writes, "fails", 1, 3, one_item);

    ocrGuid_t begins = edt_of(of_kernel(never, "begins", 0, 2, one_item), 0, NULL, 2, NULL, EDT_PROP_NONE, &output);
    ocrGuid_t follows = edt_of(of_kernel(never, "begins", 0, 2, holds_up), 0, NULL, 2, NULL, EDT_PROP_NONE, NULL);
    link_to(words_block(1, 0, 0), follows, 0, DB_MODE_EW);
    link_to(output, follows, 1, DB_MODE_NULL);
    link_to(words_block(1, 0, 0), begins, 0, DB_MODE_EW);
    link_to(NULL_GUID, begins, 1, DB_MODE_NULL);
    while (!atomic_load(&held_up))
        breathe();

    ocrGuid_t last = spawn(looks, 0, NULL, WRITERS + 2, NULL);
    for (u64 k = 0; k < WRITERS; k++) {
        u64 n = (FAILS + k) % WRITERS;
        u64 param = n == FAILS ? 256 + n : n;
        ocrGuid_t edt = edt_of(n == FAILS ? bad : good, 1, &param, 3, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, (u32)n, DB_MODE_NULL);
        link_to(chunk, edt, 0, DB_MODE_RW);
        link_to(divided, edt, 1, DB_MODE_RW);
        link_to(k < 2 ? third : words_block(WRITERS, 0, 0), edt, 2, DB_MODE_EW);
    }
    OK(ocrDbDestroy(chunk));
    ocrDbPart_t part = {.offset = 0, .size = WORDS * sizeof(u32), .guid = NULL_GUID};
    OK(ocrDbPartition(divided, 1, &part, OCR_DB_PARTITION_STATIC));
    link_to(part.guid, spawn(ends_part, 0, NULL, 1, NULL), 0, DB_MODE_RW);
    link_to(divided, last, WRITERS, DB_MODE_RO);
    link_to(third, last, WRITERS + 1, DB_MODE_RO);
    atomic_store(&all_there, true);

    OK(ocrLegacyFinalize(context, true));
    u32 *numbers = (u32 *)read_file(name, &size);
    CHECK_EQ(size, WORDS * sizeof *numbers);
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(numbers[i], i);
    free(numbers);
    CHECK_EQ(unlink(name), 0);
    puts("the file is right");
    return 0;
}
