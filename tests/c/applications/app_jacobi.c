/*
 * Jacobi iteration on a rod in tiles: each tile of each step reads three tiles of the step before,
 * CONST, and writes its own in EW; two generations of blocks take turns. Checked against the same
 * sums in one loop.
 */
// clause: application
#include "check.h"

enum { TILES = 24, CELLS = 50, STEPS = 60, N = TILES * CELLS };

static ocrGuid_t step_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const double *left = (const double *)depv[0].ptr, *here = (const double *)depv[1].ptr,
                 *right = (const double *)depv[2].ptr;
    double *next = (double *)depv[3].ptr;
    for (int i = 0; i < CELLS; i++) {
        double a = i > 0 ? here[i - 1] : left ? left[CELLS - 1] : 0.0;
        double b = i < CELLS - 1 ? here[i + 1] : right ? right[0] : 1.0;
        next[i] = 0.25 * a + 0.5 * here[i] + 0.25 * b;
    }
    return NULL_GUID;
}

static double initial(int i) { return (double)(i * 37 % 101) / 101.0; }

static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    static double now[N], next[N];
    for (int i = 0; i < N; i++) {
        now[i] = initial(i);
    }
    for (int t = 0; t < STEPS; t++) {
        for (int i = 0; i < N; i++) {
            next[i] = 0.25 * (i > 0 ? now[i - 1] : 0.0) + 0.5 * now[i] + 0.25 * (i < N - 1 ? now[i + 1] : 1.0);
        }
        memcpy(now, next, sizeof now);
    }
    for (int i = 0; i < N; i++) {
        double error = ((double *)depv[i / CELLS].ptr)[i % CELLS] - now[i];
        CHECK(error < 1e-12 && error > -1e-12); /* a compiler may fuse one of the two sums */
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t blocks[2][TILES], before[TILES], tmpl = template_of(step_edt, 0, 7);
    for (int g = 0; g < 2; g++) {
        for (int t = 0; t < TILES; t++) {
            void *addr;
            blocks[g][t] = block_of(CELLS * sizeof(double), &addr);
            for (int i = 0; i < CELLS; i++) {
                ((double *)addr)[i] = g == 0 ? initial(t * CELLS + i) : -1e9;
            }
            OK(ocrDbRelease(blocks[g][t]));
        }
    }
    ocrGuid_t start = event_of(OCR_EVENT_STICKY_T);
    for (int t = 0; t < TILES; t++) {
        before[t] = start;
    }
    for (int s = 0; s < STEPS; s++) {
        ocrGuid_t after[TILES], *from = blocks[s % 2], *to = blocks[1 - s % 2];
        for (int t = 0; t < TILES; t++) {
            ocrGuid_t output, edt = edt_of(tmpl, 0, NULL, 7, NULL, EDT_PROP_NONE, &output);
            after[t] = event_of(OCR_EVENT_STICKY_T);
            link_to(output, after[t], 0, DB_MODE_NULL);
            for (int d = -1; d <= 1; d++) {
                bool inside = t + d >= 0 && t + d < TILES;
                link_to(inside ? from[t + d] : NULL_GUID, edt, (u32)(1 + d), DB_MODE_CONST);
                /* the step before has written what is read here, and read what is overwritten */
                link_to(inside ? before[t + d] : NULL_GUID, edt, (u32)(5 + d), DB_MODE_NULL);
            }
            link_to(to[t], edt, 3, DB_MODE_EW);
        }
        memcpy(before, after, sizeof before);
    }
    ocrGuid_t last = spawn(check_edt, 0, NULL, 2 * TILES, NULL);
    for (u32 t = 0; t < TILES; t++) {
        link_to(blocks[STEPS % 2][t], last, t, DB_MODE_CONST);
        link_to(before[t], last, TILES + t, DB_MODE_NULL);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrEventSatisfy(start, NULL_GUID));
    return NULL_GUID;
}
