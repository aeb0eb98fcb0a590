/* A warning, a picture and the statistics cannot be written, since the standard error is full: the program runs on. */
// clause: process
// env: OCR_STATS=1
// needs: signals
// stdout: ran to its end
#include "check.h"

#include <fcntl.h>
#include <signal.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const int full = open("/dev/full", O_WRONLY);
    CHECK(full >= 0 && dup2(full, STDERR_FILENO) >= 0);
    ocrGuid_t block;
    void *place;
    /* It warns. */
    REFUSED(OCR_ENOMEM, ocrDbCreate(&block, &place, (u64)1 << 45, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    CHECK_EQ(kill(getpid(), SIGUSR1), 0);
    usleep(10000);
    ocrPrintf("ran to its end\n");
    ocrShutdown();
    return NULL_GUID;
}
