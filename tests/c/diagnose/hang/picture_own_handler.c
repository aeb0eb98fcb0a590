// A program with its own handler of SIGUSR1 keeps it, whenever it installed it.
// clause: hang
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <signal.h>

static volatile sig_atomic_t count;

static void own(int signal) {
    (void)signal;
    count++;
}

static void run(bool handler_within) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context;
    ocrLegacyInit(&context, &config);
    if (handler_within)
        CHECK(signal(SIGUSR1, own) != own);
    int before = count;
    OK(raise(SIGUSR1));
    CHECK_EQ(count, before + 1);
    CHECK_EQ(ocrLegacyFinalize(context, false), 0);
    OK(raise(SIGUSR1));
    CHECK_EQ(count, before + 2);
}

int main(void) {
    run(true);
    run(false);
    CHECK(signal(SIGUSR1, SIG_DFL) == own);
    /* the runtime's own stays: a signal that comes too late ends nothing */
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context;
    ocrLegacyInit(&context, &config);
    OK(raise(SIGUSR1));
    CHECK_EQ(ocrLegacyFinalize(context, false), 0);
    OK(raise(SIGUSR1));
    CHECK(signal(SIGUSR1, SIG_DFL) != SIG_DFL);
    return 0;
}
