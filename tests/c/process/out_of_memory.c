/* The runtime has no memory for itself and cannot go on: it says that, and does not blame the EDT that runs. */
// clause: process
// status: nonzero
// stderr: bytes of memory for its own objects and there were none
// stderr-without: as do a failed assert()
// env: OCR_DEVICES=none
// needs: signals
#include "check.h"

#include <extensions/ocr-variants.h>
#include <sys/resource.h>

enum { MANY = 64 << 20 };

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    space->workDim = 1;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

/* The source of a kernel is copied: this one is larger than what may be taken. */
ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(nothing, 0, 0);
    char *source = malloc(MANY);
    u64 pages;
    FILE *sizes = fopen("/proc/self/statm", "r");
    CHECK(source != NULL && sizes != NULL && fscanf(sizes, "%lu", &pages) == 1);
    fclose(sizes);
    memset(source, ' ', MANY - 1);
    source[MANY - 1] = 0;
    const rlim_t little = pages * (rlim_t)sysconf(_SC_PAGESIZE) + MANY / 2;
    const struct rlimit limit = {little, little};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    ocrEdtTemplateAddKernel(tmpl, source, NULL, "k", range, OCR_NO_RESULT);
    CHECK(!"there was memory");
    return NULL_GUID;
}
