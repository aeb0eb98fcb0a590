/* The numbers of a file are doubled in two chunks, as programs for OCR-Vx have it: they acquire the chunks in RO mode
 * and write to them all the same, and what they have written is in the file. */
// clause: ocr-file.h
// once: EDTs write to chunks that they hold in RO mode
// stdout-lines: 1 doubled
// one-node: chunks of a file are for EDTs of its node
#include "check.h"
#include <extensions/ocr-file.h>

static const u32 NUMBERS = 1000;
static char path[64];

static ocrGuid_t work(u32, u64 *paramv, u32, ocrEdtDep_t depv[]) {
    u32 *numbers = static_cast<u32 *>(depv[0].ptr);
    for (u64 i = 0; i < paramv[0]; ++i)
        numbers[i] *= 2;
    ocrDbDestroy(depv[0].guid);
    return NULL_GUID;
}

static ocrGuid_t finish(u32, u64 *, u32, ocrEdtDep_t[]) {
    u32 numbers[NUMBERS + 1];
    FILE *file = fopen(path, "rb");
    CHECK(file != nullptr);
    CHECK_EQ(fread(numbers, sizeof(u32), NUMBERS + 1, file), NUMBERS);
    fclose(file);
    unlink(path);
    for (u32 i = 0; i < NUMBERS; i++)
        CHECK_EQ(numbers[i], 2 * i);
    ocrPrintf("doubled\n");
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t check(u32, u64 *, u32, ocrEdtDep_t depv[]) {
    ocrGuid_t chunks[2], worker, events[2], workTemplate, finishTemplate, last;
    u64 size = ocrFileGetSize(depv[0].ptr);
    ocrFileGetChunk(&chunks[0], ocrFileGetGuid(depv[0].ptr), 0, size / 2);
    ocrFileGetChunk(&chunks[1], ocrFileGetGuid(depv[0].ptr), size / 2, size / 2);
    ocrFileRelease(ocrFileGetGuid(depv[0].ptr));
    ocrDbDestroy(depv[0].guid);
    ocrEdtTemplateCreate(&workTemplate, work, 1, 1);
    ocrEdtTemplateCreate(&finishTemplate, finish, 0, 2);
    ocrEdtCreate(&last, finishTemplate, EDT_PARAM_DEF, 0, EDT_PARAM_DEF, 0, 0, NULL_HINT, 0);
    u64 count = size / sizeof(u32) / 2;
    for (u32 i = 0; i < 2; i++) {
        ocrEdtCreate(&worker, workTemplate, EDT_PARAM_DEF, &count, EDT_PARAM_DEF, 0, 0, NULL_HINT, &events[i]);
        ocrAddDependence(events[i], last, i, DB_DEFAULT_MODE);
        ocrAddDependence(chunks[i], worker, 0, DB_MODE_RO);
    }
    ocrEdtTemplateDestroy(workTemplate);
    ocrEdtTemplateDestroy(finishTemplate);
    return NULL_GUID;
}

extern "C" ocrGuid_t mainEdt(u32, u64 *, u32, ocrEdtDep_t[]) {
    u32 numbers[NUMBERS];
    for (u32 i = 0; i < NUMBERS; i++)
        numbers[i] = i;
    snprintf(path, sizeof path, "vx_file.%ld.tmp", static_cast<long>(getpid()));
    FILE *out = fopen(path, "wb");
    CHECK(out != nullptr);
    CHECK_EQ(fwrite(numbers, sizeof(u32), NUMBERS, out), NUMBERS);
    fclose(out);
    ocrGuid_t info, file, task, checkTemplate;
    ocrFileOpen(&file, path, "rb+", &info, 0);
    ocrEdtTemplateCreate(&checkTemplate, check, 0, 1);
    ocrGuid_t deps[] = {info};
    ocrEdtCreate(&task, checkTemplate, EDT_PARAM_DEF, 0, EDT_PARAM_DEF, deps, 0, NULL_HINT, 0);
    ocrEdtTemplateDestroy(checkTemplate);
    return NULL_GUID;
}
