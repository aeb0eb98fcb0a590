/* What kernels write to chunks of a file gets there: where an EDT on the host acquires and destroys the chunk, where
 * it destroys it without acquiring it, where a kernel is the last that holds it, and where the chunk is left when the
 * program ends. */
// clause: ocr-file.h ocr-variants.h
// needs: opencl
// env: OCR_DEVICE_FORCE_COPIES=1
// stdout-lines: 1 the file is right
#include "file.h"
#include "kernel.h"
#include <extensions/ocr-legacy.h>
#include <stdatomic.h>

#define WORDS 5000
#define CHUNKS 12

static char name[64];
static ocrGuid_t chunks[CHUNKS];
static atomic_bool looked;
static const char source[] = "kernel void twice(global uint *x) { x[get_global_id(0)] *= 2; }";

/* What kernels multiply them with. */
static u32 times(u32 chunk) { return chunk % 4 == 3 ? 2 : 4; }

/* What the numbers of a chunk in the file have been multiplied with. */
static u32 factor(const u32 *numbers, u32 chunk) {
    const u32 *begin = numbers + chunk * WORDS;
    u32 first = chunk * WORDS + 1;
    CHECK(begin[0] == first || begin[0] == 2 * first || begin[0] == 4 * first);
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(begin[i], (first + i) * (begin[0] / first));
    return begin[0] / first;
}

/* All have been used. */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    size_t size;
    u32 *numbers = (u32 *)read_file(name, &size);
    CHECK_EQ(size, CHUNKS * WORDS * sizeof *numbers);
    for (u32 i = 0; i < CHUNKS; i++)
        if (i % 4 == 0) /* destroyed by an EDT that had acquired it */
            CHECK_EQ(factor(numbers, i), 4);
        else if (i % 4 == 2) /* left */
            CHECK_EQ(factor(numbers, i), 1);
    free(numbers);
    atomic_store(&looked, true);
    return NULL_GUID;
}

/* Whether those have been written that are written some time. It may be seen half done. */
static bool all_written(void) {
    size_t size;
    u32 *numbers = (u32 *)read_file(name, &size), written = 0;
    CHECK_EQ(size, CHUNKS * WORDS * sizeof *numbers);
    for (u32 i = 1; i < CHUNKS; i += 2)
        written += numbers[i * WORDS] == times(i) * (i * WORDS + 1) &&
                   numbers[(i + 1) * WORDS - 1] == times(i) * (i + 1) * WORDS;
    free(numbers);
    return written == CHUNKS / 2;
}

/* When both kernels have doubled a chunk. */
static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (paramv[0] % 4 == 0)
        CHECK_EQ(((u32 *)depv[2].ptr)[1], 4 * (paramv[0] * WORDS + 2));
    if (paramv[0] % 4 < 2)
        OK(ocrDbDestroy(chunks[paramv[0]]));
    return NULL_GUID;
}

static void run(bool waits) {
    ocrGuid_t context, file;
    ocrConfig_t config = {0};
    size_t size;
    u32 *numbers = malloc(CHUNKS * WORDS * sizeof *numbers);
    for (u32 i = 0; i < CHUNKS * WORDS; i++)
        numbers[i] = i + 1;
    write_file(name, numbers, CHUNKS * WORDS * sizeof *numbers);
    free(numbers);
    ocrLegacyInit(&context, &config);
    OK(ocrFileOpen(&file, name, "rb+", NULL, 0));
    ocrGuid_t tmpl = kernel_of(source, "twice", 0, 1), last = spawn(looks, 0, NULL, CHUNKS, NULL);
    atomic_store(&looked, false);
    for (u64 i = 0; i < CHUNKS; i++) {
        OK(ocrFileGetChunk(&chunks[i], file, i * WORDS * 4, WORDS * 4));
        ocrGuid_t done, destroyer = spawn_with(destroys, 1, &i, 3, NULL, EDT_PROP_NONE, &done);
        link_to(done, last, (u32)i, DB_MODE_NULL);
        for (u32 k = 0; k < (i % 4 == 3 ? 1 : 2); k++) {
            ocrGuid_t doubled, kernel = kernel_edt(tmpl, WORDS, 0, NULL, 1, &doubled);
            link_to(doubled, destroyer, k, DB_MODE_NULL);
            link_to(chunks[i], kernel, 0, DB_MODE_EW);
        }
        if (i % 4 == 3) {
            link_to(NULL_GUID, destroyer, 1, DB_MODE_NULL);
            OK(ocrDbDestroy(chunks[i])); /* the kernel has acquired it, and perhaps run */
        }
        link_to(i % 4 == 0 ? chunks[i] : NULL_GUID, destroyer, 2, DB_MODE_RO);
    }
    OK(ocrFileRelease(file));
    OK(ocrEdtTemplateDestroy(tmpl));
    while (!atomic_load(&looked) || (waits && !all_written()))
        breathe();
    ocrShutdown();
    OK(ocrLegacyFinalize(context, true));
    CHECK_EQ(times_open(name), 0);
    numbers = (u32 *)read_file(name, &size);
    CHECK_EQ(size, CHUNKS * WORDS * sizeof *numbers);
    for (u32 i = 0; i < CHUNKS; i++)
        CHECK_EQ(factor(numbers, i), times(i));
    free(numbers);
}

int main(void) {
    file_name(name, "kernel_file");
    run(false); /* shut down at once */
    run(true); /* when the destroyed ones have been written */
    CHECK_EQ(unlink(name), 0);
    puts("the file is right");
    return 0;
}
