/*
 * Tiled Cholesky factorisation: factor, solve and update EDTs on a triangle of tiles, whose versions
 * follow one another through output events. The factor times its transpose is the matrix again.
 */
// clause: application
#include "check.h"

enum { TILES = 8, SIDE = 12, N = TILES * SIDE };

static double sqrt_of(double x) { /* Newton's: the harness links libm, a program need not */
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 60; i++) {
        r = 0.5 * (r + x / r);
    }
    return r;
}

/* A symmetric matrix, positive definite because its diagonal dominates. */
static double entry(int i, int j) { return i == j ? N + 1.0 : 1.0 / (1.0 + (i > j ? i - j : j - i)); }

static ocrGuid_t factor_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    double(*a)[SIDE] = (double(*)[SIDE])depv[0].ptr;
    for (int j = 0; j < SIDE; j++) {
        for (int k = 0; k < j; k++) {
            a[j][j] -= a[j][k] * a[j][k];
        }
        a[j][j] = sqrt_of(a[j][j]);
        for (int i = j + 1; i < SIDE; i++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[j][k];
            }
            a[i][j] /= a[j][j];
        }
    }
    return depv[0].guid;
}

static ocrGuid_t solve_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    double(*a)[SIDE] = (double(*)[SIDE])depv[0].ptr, (*l)[SIDE] = (double(*)[SIDE])depv[1].ptr;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * l[j][k];
            }
            a[i][j] /= l[j][j];
        }
    }
    return depv[0].guid;
}

static ocrGuid_t update_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    double(*a)[SIDE] = (double(*)[SIDE])depv[0].ptr, (*x)[SIDE] = (double(*)[SIDE])depv[1].ptr;
    double(*y)[SIDE] = (double(*)[SIDE])depv[2].ptr;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            for (int k = 0; k < SIDE; k++) {
                a[i][j] -= x[i][k] * y[j][k];
            }
        }
    }
    return depv[0].guid;
}

static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    static double l[N][N];
    for (int i = 0, slot = 0; i < TILES; i++) {
        for (int j = 0; j <= i; j++, slot++) {
            for (int r = 0; r < SIDE; r++) {
                for (int c = 0; c < SIDE; c++) {
                    int row = i * SIDE + r, column = j * SIDE + c;
                    l[row][column] = column <= row ? ((double *)depv[slot].ptr)[r * SIDE + c] : 0;
                }
            }
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double product = 0;
            for (int k = 0; k < N; k++) {
                product += l[i][k] * l[j][k];
            }
            double error = product - entry(i, j);
            CHECK(error < 1e-9 && error > -1e-9);
        }
    }
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t versions[TILES][TILES]; /* for mainEdt alone: the event of each tile's last version */

/* An EDT that makes the next version of tile (i, j) from the last versions of it and the others. */
static void next_version(ocrGuid_t tmpl, int i, int j, u32 others, const ocrGuid_t *sources) {
    ocrGuid_t output, edt = edt_of(tmpl, 0, NULL, 1 + others, NULL, EDT_PROP_NONE, &output);
    ocrGuid_t version = event_of(OCR_EVENT_STICKY_T);
    link_to(output, version, 0, DB_MODE_NULL);
    for (u32 k = 0; k < others; k++) {
        link_to(sources[k], edt, 1 + k, DB_MODE_CONST);
    }
    link_to(versions[i][j], edt, 0, DB_MODE_EW);
    versions[i][j] = version;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t factor = template_of(factor_edt, 0, 1), solve = template_of(solve_edt, 0, 2),
              update = template_of(update_edt, 0, 3);
    for (int i = 0; i < TILES; i++) {
        for (int j = 0; j <= i; j++) {
            void *addr;
            ocrGuid_t block = block_of(SIDE * SIDE * sizeof(double), &addr);
            for (int k = 0; k < SIDE * SIDE; k++) {
                ((double *)addr)[k] = entry(i * SIDE + k / SIDE, j * SIDE + k % SIDE);
            }
            OK(ocrDbRelease(block));
            versions[i][j] = event_of(OCR_EVENT_STICKY_T);
            link_to(block, versions[i][j], 0, DB_MODE_NULL);
        }
    }
    for (int k = 0; k < TILES; k++) {
        next_version(factor, k, k, 0, NULL);
        for (int i = k + 1; i < TILES; i++) {
            next_version(solve, i, k, 1, &versions[k][k]);
        }
        for (int i = k + 1; i < TILES; i++) {
            for (int j = k + 1; j <= i; j++) {
                /* on the diagonal both factors are one block, which may come twice in one mode */
                ocrGuid_t sources[] = {versions[i][k], versions[j][k]};
                next_version(update, i, j, 2, sources);
            }
        }
    }
    ocrGuid_t last = spawn(check_edt, 0, NULL, TILES * (TILES + 1) / 2, NULL);
    u32 slot = 0;
    for (int i = 0; i < TILES; i++) {
        for (int j = 0; j <= i; j++) {
            link_to(versions[i][j], last, slot++, DB_MODE_RO);
        }
    }
    OK(ocrEdtTemplateDestroy(factor));
    OK(ocrEdtTemplateDestroy(solve));
    OK(ocrEdtTemplateDestroy(update));
    return NULL_GUID;
}
