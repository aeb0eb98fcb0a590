/* What kernels write to parts of a chunk of a file is in the file after the end of the program: where the parts and
 * the chunk were destroyed, by an EDT that had not acquired them, and where they are left. Some parts use the memory
 * of the chunk, others have their own; some are parts of parts. */
// clause: ocr-file.h ocr-variants.h
// needs: opencl
// env: OCR_DEVICE_FORCE_COPIES=1
#include "file.h"
#include "kernel.h"
#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-legacy.h>

#define WORDS 1000
#define PARTS 5 /* the last one is divided into the last two */

static ocrGuid_t chunk;
static ocrDbPart_t parts[PARTS] = {
    {.offset = 0, .size = 1024}, {.offset = 1024, .size = 980}, {.offset = 2004, .size = 1996},
    {.offset = 0, .size = 1000}, {.offset = 1000, .size = 996},
};
static const char source[] = "kernel void twice(global uint *x) { x[get_global_id(0)] *= 2; }";

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (int i = PARTS - 1; i >= 0 && paramv[0]; i--)
        OK(ocrDbDestroy(parts[i].guid));
    if (paramv[0])
        OK(ocrDbDestroy(chunk));
    ocrShutdown();
    return NULL_GUID;
}

static void run(const char *name, u64 destroys) {
    ocrGuid_t context, file;
    ocrConfig_t config = {0};
    u32 numbers[WORDS];
    for (u32 i = 0; i < WORDS; i++)
        numbers[i] = i + 1;
    write_file(name, numbers, sizeof numbers);
    ocrLegacyInit(&context, &config);
    OK(ocrFileOpen(&file, name, "rb+", NULL, 0));
    OK(ocrFileGetChunk(&chunk, file, 0, sizeof numbers));
    OK(ocrFileRelease(file));
    OK(ocrDbPartition(chunk, 3, parts, 0));
    OK(ocrDbPartition(parts[2].guid, 2, parts + 3, 0));
    ocrGuid_t tmpl = kernel_of(source, "twice", 0, 1), last = spawn(ends, 1, &destroys, PARTS, NULL);
    for (u32 i = 0; i < PARTS; i++) {
        ocrGuid_t doubled = NULL_GUID;
        if (i != 2) {
            ocrGuid_t kernel = kernel_edt(tmpl, parts[i].size / 4, 0, NULL, 1, &doubled);
            link_to(doubled, last, i, DB_MODE_NULL);
            link_to(parts[i].guid, kernel, 0, DB_MODE_EW);
        } else {
            link_to(NULL_GUID, last, i, DB_MODE_NULL);
        }
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrLegacyFinalize(context, true));
    size_t size;
    u32 *got = (u32 *)read_file(name, &size);
    CHECK_EQ(size, sizeof numbers);
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(got[i], 2 * (i + 1));
    free(got);
}

int main(void) {
    char name[64];
    file_name(name, "kernel_file_parts");
    for (int i = 0; i < 10; i++)
        run(name, i % 2);
    CHECK_EQ(unlink(name), 0);
    return 0;
}
