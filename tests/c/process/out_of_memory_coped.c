/* A call has returned OCR_ENOMEM, and then the program fails by itself: that is not reported as want of memory. */
// clause: process
// status: nonzero
// stderr: returned OCR_ENOMEM, in EDT 0x
// stderr: it called abort(), as do a failed assert()
// stderr-without: for its own objects and there were none
// env: OCR_DEVICES=none
// needs: signals
#include "check.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 pages;
    FILE *sizes = fopen("/proc/self/statm", "r");
    CHECK(sizes != NULL && fscanf(sizes, "%lu", &pages) == 1);
    fclose(sizes);
    const rlim_t little = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (16 << 20);
    const struct rlimit limit = {little, little};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    ocrGuid_t event;
    while (ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE) == 0)
        ;
    abort();
}
