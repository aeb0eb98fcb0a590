/* N queens: one EDT a partial board, in one finish scope; leaves add to a block they hold in EW. */
// clause: application
#include "check.h"

static ocrGuid_t add_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    *(u64 *)depv[0].ptr += paramv[0];
    return NULL_GUID;
}

static u64 solutions(u64 n, u64 columns, u64 left, u64 right) {
    u64 all = ((u64)1 << n) - 1, count = 0;
    if (columns == all) {
        return 1;
    }
    for (u64 free = all & ~(columns | left | right); free; free &= free - 1) {
        u64 bit = free & -free;
        count += solutions(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

typedef struct {
    u64 n, row, columns, left, right;
    ocrGuid_t total, board_template, add_template;
} board_t;

static ocrGuid_t board_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    board_t board = *(board_t *)paramv;
    CHECK_EQ(paramc, sizeof board / sizeof(u64));
    if (board.row == 4) {
        u64 count = solutions(board.n, board.columns, board.left, board.right);
        if (count > 0) {
            ocrGuid_t edt = edt_of(board.add_template, 1, &count, 1, NULL, EDT_PROP_NONE, NULL);
            link_to(board.total, edt, 0, DB_MODE_EW);
        }
        return NULL_GUID;
    }
    u64 all = ((u64)1 << board.n) - 1;
    for (u64 free = all & ~(board.columns | board.left | board.right); free; free &= free - 1) {
        u64 bit = free & -free;
        board_t next = board;
        next.row++;
        next.columns |= bit;
        next.left = (board.left | bit) << 1;
        next.right = (board.right | bit) >> 1;
        OK(ocrEdtCreate(NULL, board.board_template, EDT_PARAM_DEF, (u64 *)&next, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                        NULL_HINT, NULL));
    }
    return NULL_GUID;
}

static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 want = small_run() ? 92 : 14200;
    board_t board = {.n = small_run() ? 8 : 12};
    board.total = block_with(0);
    board.add_template = template_of(add_edt, 1, 1);
    OK(ocrEdtTemplateCreate(&board.board_template, board_edt, sizeof board / sizeof(u64), 0));
    ocrGuid_t done, hold = UNINITIALIZED_GUID, first = template_of(board_edt, sizeof board / sizeof(u64), 1);
    ocrGuid_t edt = edt_of(first, sizeof board / sizeof(u64), (u64 *)&board, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {board.total, done};
    spawn(check_edt, 1, &want, 2, slots);
    OK(ocrEdtTemplateDestroy(first));
    link_to(NULL_GUID, edt, 0, (ocrDbAccessMode_t) false);
    return NULL_GUID;
}
