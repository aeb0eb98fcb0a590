/*
 * Messages name EDTs by their functions, also where these are written otherwise: through a parameter, a template
 * of C++, a lambda.
 */
// clause: 2.7.1
// deviates: 2.7.1
// status: nonzero
// stderr: (plain) waits on
// stderr: (Step<3>::run) waits on
// stderr: (&Step<4>::run) waits on
// stderr: (inner::step) waits on
// stderr: (mainEdt::{lambda(
// stderr-without: (function)
// needs: halt
extern "C" {
#include "check.h"
}

/* They differ, so that no compiler finds that they are one. */
template <int N> struct Step {
    static ocrGuid_t run(u32, u64 *, u32, ocrEdtDep_t *) {
        printf("%d\n", N);
        return NULL_GUID;
    }
};

namespace inner {
ocrGuid_t step(u32, u64 *, u32, ocrEdtDep_t *) {
    puts("step");
    return NULL_GUID;
}
} // namespace inner

static ocrGuid_t plain(u32, u64 *, u32, ocrEdtDep_t *) {
    puts("plain");
    return NULL_GUID;
}

static void waits(ocrEdt_t function) {
    ocrGuid_t edt, tmpl;
    OK(ocrEdtTemplateCreate(&tmpl, function, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
}

extern "C" ocrGuid_t mainEdt(u32, u64 *, u32, ocrEdtDep_t *) {
    ocrGuid_t tmpl, edt;
    waits(plain);
    waits(Step<3>::run);
    waits(inner::step);
    waits([](u32, u64 *, u32, ocrEdtDep_t *) {
        puts("lambda");
        return NULL_GUID;
    });
    /* As it is written, where that says the function. */
    OK(ocrEdtTemplateCreate(&tmpl, &Step<4>::run, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    return NULL_GUID;
}
