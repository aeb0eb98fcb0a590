/* The four tile functions of examples/cholesky.c as kernels. What they do, and how a tile is stored, is told in
 * examples/common/tiles.h. -DPRECISION=64 makes them of double, -DPRECISION=32 of float; without it, double where the
 * device has it.
 *
 * Each has two forms. On a CPU device one work-item does the tile, with blocks of 16 rows and 4 columns in vector
 * registers (as wide as AVX-512; compilers split them where vectors are shorter): several tiles run at once, one on
 * each core. On a GPU (any; tuned for none) gemm and syrk give a work-group of 8 x 8 work-items a block of 32 x 32
 * numbers, 4 x 4 for each, and bring what it multiplies to local memory, 16 columns at a time. A work-item of trsm
 * does a row, which needs no other row; potrf is one work-group that goes column by column. */

#ifndef PRECISION
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
#define PRECISION 64
#else
#define PRECISION 32
#endif
#endif

#if PRECISION == 64
#if !defined(cl_khr_fp64) && !defined(__opencl_c_fp64)
#error "this device has no double precision; run cholesky with --precision float"
#endif
typedef double real;
typedef double8 real8;
#else
typedef float real;
typedef float8 real8;
#endif

#define STRIDE(tile) ((tile) + 8)

#ifndef OCR_DEVICE_GPU

#define PANEL 16

/* c -= a * b', for 16 rows and 4 columns of c, over `depth` columns of a and b. */
static void block(uint stride, uint depth, __global const real *a, __global const real *b, __global real *c) {
    real8 s00 = 0, s10 = 0, s01 = 0, s11 = 0, s02 = 0, s12 = 0, s03 = 0, s13 = 0;
    for (uint k = 0; k < depth; k++, a += stride, b += stride) {
        const real8 upper = vload8(0, a), lower = vload8(1, a);
        s00 = fma(upper, (real8)(b[0]), s00);
        s10 = fma(lower, (real8)(b[0]), s10);
        s01 = fma(upper, (real8)(b[1]), s01);
        s11 = fma(lower, (real8)(b[1]), s11);
        s02 = fma(upper, (real8)(b[2]), s02);
        s12 = fma(lower, (real8)(b[2]), s12);
        s03 = fma(upper, (real8)(b[3]), s03);
        s13 = fma(lower, (real8)(b[3]), s13);
    }
#define LESS(column, s0, s1)                                                                                          \
    vstore8(vload8(0, c + (column) * stride) - s0, 0, c + (column) * stride);                                         \
    vstore8(vload8(1, c + (column) * stride) - s1, 1, c + (column) * stride)
    LESS(0, s00, s10);
    LESS(1, s01, s11);
    LESS(2, s02, s12);
    LESS(3, s03, s13);
#undef LESS
}

/* c -= a * b', for rows [row, rows) and columns [column, columns) of c. With `lower`, blocks that lie wholly above the
 * diagonal are left out. */
static void update(uint stride, uint row, uint rows, uint column, uint columns, uint depth, bool lower,
                   __global const real *a, __global const real *b, __global real *c) {
    for (uint i = row; i < rows; i += 16)
        for (uint j = column; j < columns && !(lower && j >= i + 16); j += 4)
            block(stride, depth, a + i, b + j, c + i + j * stride);
}

/* Solves x * l' = x for PANEL columns from `column` on, for rows [row, rows) of x. What the columns before contribute
 * has been subtracted already. */
static void solve(uint stride, uint row, uint rows, uint column, __global const real *l, __global real *x) {
    l += column + column * stride;
    x += column * stride;
    for (uint i = row; i < rows; i += 8) {
        real8 rest[PANEL];
        for (uint j = 0; j < PANEL; j++)
            rest[j] = vload8(0, x + i + j * stride);
        for (uint j = 0; j < PANEL; j++) {
            const real8 solved = rest[j] / l[j + j * stride];
            vstore8(solved, 0, x + i + j * stride);
            for (uint k = j + 1; k < PANEL; k++)
                rest[k] -= solved * l[k + j * stride];
        }
    }
}

__kernel void cholesky_gemm_cpu(uint tile, __global const real *restrict a, __global const real *restrict b,
                                __global real *restrict c) {
    update(STRIDE(tile), 0, tile, 0, tile, tile, false, a, b, c);
}

__kernel void cholesky_syrk_cpu(uint tile, __global const real *restrict a, __global real *restrict c) {
    update(STRIDE(tile), 0, tile, 0, tile, tile, true, a, a, c);
}

__kernel void cholesky_trsm_cpu(uint tile, __global const real *restrict l, __global real *restrict a) {
    for (uint j = 0; j < tile; j += PANEL) {
        update(STRIDE(tile), 0, tile, j, j + PANEL, j, false, a, l, a);
        solve(STRIDE(tile), 0, tile, j, l, a);
    }
}

__kernel void cholesky_potrf_cpu(uint tile, __global real *a) {
    const uint stride = STRIDE(tile);
    for (uint p = 0; p < tile; p += PANEL) {
        update(stride, p, tile, p, p + PANEL, p, false, a, a, a);
        __global real *corner = a + p + p * stride;
        for (uint j = 0; j < PANEL; j++) {
            __global real *column = corner + j * stride;
            const real root = sqrt(column[j]);
            column[j] = root;
            for (uint i = j + 1; i < PANEL; i++)
                column[i] /= root;
            for (uint k = j + 1; k < PANEL; k++)
                for (uint i = k; i < PANEL; i++)
                    corner[i + k * stride] -= column[i] * column[k];
        }
        solve(stride, p + PANEL, tile, p, a, a);
    }
}

#endif

#ifndef OCR_DEVICE_CPU

#define SIDE  32 /* of a work-group's block of c, which divides a tile */
#define EACH  4  /* of that of a work-item */
#define ITEMS (SIDE / EACH)
#define DEPTH 16 /* columns of a and b in local memory */

/* The block of c that this work-group has: c -= a * b'. Work-items take every ITEMS-th row and column of it, so that
 * neighbours touch neighbouring numbers. */
static void groupUpdate(uint tile, __global const real *a, __global const real *b, __global real *c,
                        __local real *aPart, __local real *bPart) {
    const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1), item = y * ITEMS + x, stride = STRIDE(tile);
    const uint row = (uint)get_group_id(0) * SIDE, column = (uint)get_group_id(1) * SIDE;
    real sum[EACH][EACH];
    for (uint j = 0; j < EACH; j++)
        for (uint i = 0; i < EACH; i++)
            sum[j][i] = 0;
    for (uint first = 0; first < tile; first += DEPTH) {
        for (uint at = item; at < SIDE * DEPTH; at += ITEMS * ITEMS) {
            const uint from = at % SIDE + (first + at / SIDE) * stride;
            aPart[at] = a[row + from];
            bPart[at] = b[column + from];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < DEPTH; k++) {
            real aHere[EACH], bHere[EACH];
            for (uint i = 0; i < EACH; i++) {
                aHere[i] = aPart[k * SIDE + i * ITEMS + x];
                bHere[i] = bPart[k * SIDE + i * ITEMS + y];
            }
            for (uint j = 0; j < EACH; j++)
                for (uint i = 0; i < EACH; i++)
                    sum[j][i] = fma(aHere[i], bHere[j], sum[j][i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint j = 0; j < EACH; j++)
        for (uint i = 0; i < EACH; i++)
            c[row + i * ITEMS + x + (column + j * ITEMS + y) * stride] -= sum[j][i];
}

__kernel __attribute__((reqd_work_group_size(ITEMS, ITEMS, 1)))
void cholesky_gemm_gpu(uint tile, __global const real *restrict a, __global const real *restrict b,
                       __global real *restrict c) {
    __local real aPart[SIDE * DEPTH], bPart[SIDE * DEPTH];
    groupUpdate(tile, a, b, c, aPart, bPart);
}

/* Work-groups above the diagonal have nothing to do: all their work-items leave before the first barrier. */
__kernel __attribute__((reqd_work_group_size(ITEMS, ITEMS, 1)))
void cholesky_syrk_gpu(uint tile, __global const real *restrict a, __global real *restrict c) {
    __local real aPart[SIDE * DEPTH], bPart[SIDE * DEPTH];
    if (get_group_id(1) <= get_group_id(0))
        groupUpdate(tile, a, a, c, aPart, bPart);
}

/* A work-item for each row of a, whose numbers are solved one after the other. */
__kernel void cholesky_trsm_gpu(uint tile, __global const real *restrict l, __global real *restrict a) {
    const uint row = (uint)get_global_id(0), stride = STRIDE(tile);
    for (uint j = 0; j < tile; j++) {
        real rest = a[row + j * stride];
        for (uint k = 0; k < j; k++)
            rest = fma(-a[row + k * stride], l[j + k * stride], rest);
        a[row + j * stride] = rest / l[j + j * stride];
    }
}

/* One work-group: column by column, each subtracted from all that follow. */
__kernel void cholesky_potrf_gpu(uint tile, __global real *a) {
    const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0), stride = STRIDE(tile);
    for (uint j = 0; j < tile; j++) {
        __global real *column = a + j * stride;
        const real root = sqrt(column[j]);
        barrier(CLK_GLOBAL_MEM_FENCE); /* all have read the diagonal before one of them writes it */
        if (item == 0)
            column[j] = root;
        for (uint i = j + 1 + item; i < tile; i += items)
            column[i] /= root;
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint k = j + 1; k < tile; k++)
            for (uint i = k + item; i < tile; i += items)
                a[i + k * stride] -= column[i] * column[k];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

#endif
