// The marks of ocr-profiler.h do nothing, but for RETURN_PROFILE, which returns.
// clause: ocr-profiler.h
#include "check.h"

#include <ocr-profiler.h>

static int marks;

static int profiled(int value) {
    START_PROFILE(profiled)
    marks++;
    PAUSE_PROFILE
    marks++;
    RESUME_PROFILE
    if (value > 0)
        RETURN_PROFILE(value * 2)
    marks++;
    RETURN_PROFILE(-1)
}

static void nothing_to_return(void) {
    START_PROFILE(nothing_to_return)
    marks++;
    EXIT_PROFILE
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    START_PROFILE(mainEdt)
    CHECK_EQ(profiled(21), 42);
    CHECK_EQ(marks, 2);
    CHECK_EQ(profiled(0), -1);
    CHECK_EQ(marks, 5);
    nothing_to_return();
    CHECK_EQ(marks, 6);
    ocrShutdown();
    RETURN_PROFILE(NULL_GUID)
}
