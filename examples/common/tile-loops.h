/* The tile functions of tiles.h for one precision and one instruction set: included there once for each. Expects REAL,
 * LANES (numbers in a vector), TARGET (the attribute that asks for the instruction set) and NAME; undefines them. */

typedef REAL NAME(Vec) __attribute__((vector_size(LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

#define Vec        NAME(Vec)
#define AT(p)      (*(const Vec *)(p))
#define BLOCK_ROWS (2 * LANES) /* of a register block; divides TILE_PANEL */

/* A register block, of two vectors of rows and four columns: c -= a * b transposed, over `depth` columns of a and b.
 * Eight sums are under way at a time, which is what it takes to keep two multipliers busy. */
TARGET ALWAYS_INLINE void NAME(block)(uint32_t stride, uint32_t depth, const REAL *a, const REAL *b, REAL *c) {
    Vec s00 = { 0 }, s10 = s00, s01 = s00, s11 = s00, s02 = s00, s12 = s00, s03 = s00, s13 = s00;
    for (uint32_t k = 0; k < depth; k++, a += stride, b += stride) {
        const Vec upper = AT(a), lower = AT(a + LANES);
        s00 += upper * b[0];
        s10 += lower * b[0];
        s01 += upper * b[1];
        s11 += lower * b[1];
        s02 += upper * b[2];
        s12 += lower * b[2];
        s03 += upper * b[3];
        s13 += lower * b[3];
    }
#define LESS(column, s0, s1)                                                                                          \
    *(Vec *)(c + (column) * stride) -= s0;                                                                            \
    *(Vec *)(c + (column) * stride + LANES) -= s1
    LESS(0, s00, s10);
    LESS(1, s01, s11);
    LESS(2, s02, s12);
    LESS(3, s03, s13);
#undef LESS
}

/* c -= a * b transposed, for rows [row, rows) and columns [column, columns) of c. With `lower`, blocks that lie wholly
 * above the diagonal are left out. */
TARGET ALWAYS_INLINE void NAME(update)(uint32_t stride, uint32_t row, uint32_t rows, uint32_t column, uint32_t columns,
                                       uint32_t depth, bool lower, const REAL *a, const REAL *b, REAL *c) {
    for (uint32_t i = row; i < rows; i += BLOCK_ROWS)
        for (uint32_t j = column; j < columns && !(lower && j >= i + BLOCK_ROWS); j += 4)
            NAME(block)(stride, depth, a + i, b + j, c + i + (size_t)j * stride);
}

/* Solves x * transposed l = x for TILE_PANEL columns from `column` on, where l is lower triangular, for rows
 * [row, rows) of x. What the columns before contribute has been subtracted already. A column that is solved is
 * subtracted from all that follow: these do not wait for each other. */
TARGET ALWAYS_INLINE void NAME(solve)(uint32_t stride, uint32_t row, uint32_t rows, uint32_t column, const REAL *l,
                                      REAL *x) {
    l += column + (size_t)column * stride;
    x += (size_t)column * stride;
    REAL inverse[TILE_PANEL];
    for (uint32_t j = 0; j < TILE_PANEL; j++)
        inverse[j] = 1 / l[j + j * stride];
    for (uint32_t i = row; i < rows; i += BLOCK_ROWS) {
        Vec upper[TILE_PANEL], lower[TILE_PANEL];
        for (uint32_t j = 0; j < TILE_PANEL; j++) {
            upper[j] = AT(x + i + j * stride);
            lower[j] = AT(x + i + j * stride + LANES);
        }
        for (uint32_t j = 0; j < TILE_PANEL; j++) {
            const Vec high = upper[j] * inverse[j], low = lower[j] * inverse[j];
            *(Vec *)(x + i + j * stride) = high;
            *(Vec *)(x + i + j * stride + LANES) = low;
            for (uint32_t k = j + 1; k < TILE_PANEL; k++) {
                upper[k] -= high * l[k + j * stride];
                lower[k] -= low * l[k + j * stride];
            }
        }
    }
}

TARGET static void NAME(gemm)(uint32_t tile, const REAL *a, const REAL *b, REAL *c) {
    NAME(update)(tileStride(tile), 0, tile, 0, tile, tile, false, a, b, c);
}

TARGET static void NAME(syrk)(uint32_t tile, const REAL *a, REAL *c) {
    NAME(update)(tileStride(tile), 0, tile, 0, tile, tile, true, a, a, c);
}

TARGET static void NAME(trsm)(uint32_t tile, const REAL *l, REAL *a) {
    const uint32_t stride = tileStride(tile);
    for (uint32_t j = 0; j < tile; j += TILE_PANEL) {
        NAME(update)(stride, 0, tile, j, j + TILE_PANEL, j, false, a, l, a);
        NAME(solve)(stride, 0, tile, j, l, a);
    }
}

/* A panel of columns at a time: what the columns before contribute, the triangle on the diagonal, the rows below. */
TARGET static void NAME(potrf)(uint32_t tile, REAL *a) {
    const uint32_t stride = tileStride(tile);
    for (uint32_t p = 0; p < tile; p += TILE_PANEL) {
        NAME(update)(stride, p, tile, p, p + TILE_PANEL, p, false, a, a, a);
        REAL *corner = a + p + (size_t)p * stride;
        for (uint32_t j = 0; j < TILE_PANEL; j++) {
            REAL *column = corner + j * stride;
            const REAL root = (REAL)sqrt((double)column[j]);
            column[j] = root;
            for (uint32_t i = j + 1; i < TILE_PANEL; i++)
                column[i] /= root;
            for (uint32_t k = j + 1; k < TILE_PANEL; k++)
                for (uint32_t i = k; i < TILE_PANEL; i++)
                    corner[i + k * stride] -= column[i] * column[k];
        }
        NAME(solve)(stride, p + TILE_PANEL, tile, p, a, a);
    }
}

#undef Vec
#undef AT
#undef BLOCK_ROWS
#undef REAL
#undef LANES
#undef TARGET
#undef NAME
