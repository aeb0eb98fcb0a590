/*
 * Local alignment in tiles. A tile passes its right column and its bottom row on as blocks through
 * events, three to a tile, and destroys what it has consumed; the best score travels in an EW block.
 */
// clause: application
#include "check.h"

enum { TILE = 40, ROWS = 12, COLUMNS = 10, MATCH = 3, MISMATCH = -2, GAP = -2 };

static char letter(u64 which, u64 i) {
    u64 state = 1 + which * 1000003 + i * 7919;
    next_random(&state);
    return "ACGT"[next_random(&state) >> 62];
}

static s32 max3(s32 a, s32 b, s32 c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }

static s32 score(u64 i, u64 j, s32 diagonal, s32 above, s32 left) {
    s32 best = max3(diagonal + (letter(0, i) == letter(1, j) ? MATCH : MISMATCH), above + GAP, left + GAP);
    return best > 0 ? best : 0;
}

typedef struct {
    u64 row, column;
    ocrGuid_t right, bottom; /* events for this tile's edges; null at the rim */
} tile_t;

/* slots: left edge, top edge, both of TILE + 1 scores beginning with the corner; the best score. */
static ocrGuid_t tile_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const tile_t *tile = (const tile_t *)paramv;
    const s32 *left = (const s32 *)depv[0].ptr, *top = (const s32 *)depv[1].ptr;
    s32 h[TILE + 1][TILE + 1], best = 0;
    for (int k = 0; k <= TILE; k++) {
        h[k][0] = left ? left[k] : 0;
        h[0][k] = top ? top[k] : 0;
    }
    if (left && top) {
        CHECK_EQ(left[0], top[0]);
    } else {
        h[0][0] = 0;
    }
    for (u64 i = 1; i <= TILE; i++) {
        for (u64 j = 1; j <= TILE; j++) {
            h[i][j] = score(tile->row * TILE + i, tile->column * TILE + j, h[i - 1][j - 1], h[i - 1][j], h[i][j - 1]);
            best = h[i][j] > best ? h[i][j] : best;
        }
    }
    for (int side = 0; side < 2; side++) {
        ocrGuid_t event = side ? tile->bottom : tile->right;
        if (!ocrGuidIsNull(event)) {
            void *addr;
            ocrGuid_t edge = block_of((TILE + 1) * sizeof(s32), &addr);
            for (int k = 0; k <= TILE; k++) {
                ((s32 *)addr)[k] = side ? h[TILE][k] : h[k][TILE];
            }
            OK(ocrDbRelease(edge));
            OK(ocrEventSatisfy(event, edge));
        }
    }
    for (int i = 0; i < 2; i++) {
        if (!ocrGuidIsNull(depv[i].guid)) {
            OK(ocrDbDestroy(depv[i].guid));
        }
    }
    s32 *overall = (s32 *)depv[2].ptr;
    *overall = best > *overall ? best : *overall;
    return NULL_GUID;
}

static ocrGuid_t all_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t best = *(ocrGuid_t *)paramv, tmpl, bottoms[COLUMNS];
    OK(ocrEdtTemplateCreate(&tmpl, tile_edt, sizeof(tile_t) / sizeof(u64), 3));
    for (u64 r = 0; r < ROWS; r++) {
        ocrGuid_t right = NULL_GUID;
        for (u64 c = 0; c < COLUMNS; c++) {
            ocrGuid_t edges[] = {right, r > 0 ? bottoms[c] : NULL_GUID, UNINITIALIZED_GUID};
            tile_t tile = {r, c, NULL_GUID, NULL_GUID};
            if (c + 1 < COLUMNS) {
                tile.right = event_of(OCR_EVENT_STICKY_T);
            }
            if (r + 1 < ROWS) {
                tile.bottom = event_of(OCR_EVENT_STICKY_T);
            }
            ocrGuid_t edt = edt_of(tmpl, EDT_PARAM_DEF, (u64 *)&tile, EDT_PARAM_DEF, edges, EDT_PROP_NONE, NULL);
            link_to(best, edt, 2, DB_MODE_EW);
            right = tile.right;
            bottoms[c] = tile.bottom;
        }
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    static s32 row[COLUMNS * TILE + 1];
    s32 best = 0;
    for (u64 i = 1; i <= ROWS * TILE; i++) {
        s32 diagonal = 0;
        for (u64 j = 1; j <= COLUMNS * TILE; j++) {
            s32 above = row[j];
            row[j] = score(i, j, diagonal, above, row[j - 1]);
            diagonal = above;
            best = row[j] > best ? row[j] : best;
        }
    }
    CHECK(best > 0);
    CHECK_EQ(*(s32 *)depv[0].ptr, best);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t best = block_with(0), done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(all_edt, 1, (u64 *)&best, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {best, done};
    spawn(check_edt, 0, NULL, 2, slots);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
