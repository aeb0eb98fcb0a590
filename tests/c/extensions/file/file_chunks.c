/* The numbers of a file are doubled by EDTs in parallel, each in a chunk of its own; more than once, the next time
 * after the last EDT of the time before. */
// clause: ocr-file.h
// once: EDTs remove and write files
// stdout-lines: 1 doubled 4 times
// one-node: chunks of a file are for EDTs of its node
#include "file.h"
#include <extensions/ocr-db-info.h>

#define NUMBERS 10007
#define CHUNKS 16
#define TIMES 4

static char name[64];

static ocrGuid_t work(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 *numbers = depv[0].ptr;
    u64 size;
    OK(ocrDbGetSize(depv[0].guid, &size));
    CHECK_EQ(size, paramv[0] * sizeof *numbers);
    for (u64 i = 0; i < paramv[0]; i++)
        numbers[i] *= 2;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t begin(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static void begin_time(u64 time) {
    ocrGuid_t file, descriptor, edt, guids[] = {UNINITIALIZED_GUID};
    OK(ocrFileOpen(&file, name, time % 2 == 0 ? "rb+" : "r+b", &descriptor, 0));
    ocrGuid_t tmpl = template_of(begin, 1, 1);
    guids[0] = descriptor;
    OK(ocrEdtCreate(&edt, tmpl, 1, &time, 1, guids, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
}

/* All chunks of a time have been written when their EDTs have ended. */
static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 time = paramv[0] + 1;
    size_t size;
    u32 *numbers = (u32 *)read_file(name, &size);
    CHECK_EQ(size, NUMBERS * sizeof *numbers);
    for (u32 i = 0; i < NUMBERS; i++)
        CHECK_EQ(numbers[i], (i + 1) << time);
    free(numbers);
    CHECK_EQ(times_open(name), 0);
    if (time < TIMES) {
        begin_time(time);
        return NULL_GUID;
    }
    CHECK_EQ(unlink(name), 0);
    ocrPrintf("doubled %d times\n", (int)time);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t begin(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t file = ocrFileGetGuid(depv[0].ptr), again;
    u64 size = ocrFileGetSize(depv[0].ptr), begins = 0;
    CHECK_EQ(size, NUMBERS * sizeof(u32));
    CHECK_EQ(((unsigned char *)depv[0].ptr)[16], OCR_FILE_EXISTS);
    CHECK_EQ(times_open(name), 1);
    ocrGuid_t last = spawn(done, 1, paramv, CHUNKS, NULL), tmpl = template_of(work, 1, 1);
    for (u32 i = 0; i < CHUNKS; i++) {
        u64 ends = (i + 1) * (u64)NUMBERS / CHUNKS, count = ends - begins;
        ocrGuid_t chunk, output;
        OK(ocrFileGetChunk(&chunk, file, begins * sizeof(u32), count * sizeof(u32)));
        REFUSED(OCR_EBUSY, ocrFileGetChunk(&again, file, ends * sizeof(u32) - 1, 1));
        ocrGuid_t edt = edt_of(tmpl, 1, &count, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, i, DB_MODE_NULL);
        if (i + 1 == CHUNKS)
            OK(ocrFileRelease(file));
        link_to(chunk, edt, 0, i % 2 == 0 ? DB_MODE_EW : DB_MODE_RW);
        begins = ends;
    }
    REFUSED(OCR_EINVAL, ocrFileGetChunk(&again, file, 0, 1));
    REFUSED(OCR_EINVAL, ocrFileRelease(file));
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u32 *numbers = malloc(NUMBERS * sizeof *numbers);
    for (u32 i = 0; i < NUMBERS; i++)
        numbers[i] = i + 1;
    write_file(file_name(name, "file_chunks"), numbers, NUMBERS * sizeof *numbers);
    free(numbers);
    begin_time(0);
    return NULL_GUID;
}
