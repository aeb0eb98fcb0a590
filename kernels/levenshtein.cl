/* The tiles of examples/levenshtein.c as kernels. What the arguments hold is told in examples/common/edit-distance.h.
 *
 * Each method has two forms. On a CPU device one work-item sweeps the tile: several tiles run at once, barriers cost
 * much there, and vectors are wide. On a GPU a work-group sweeps it, neighbouring work-items handing the boundary
 * between them on through local memory.
 *
 * The last two arguments are the control dependences on the tiles to the left and above, which carry no data.
 *
 * -DPLANES=n tells the number of bits of a letter's code, so that the loops over them unroll. */

#ifndef PLANES
#define PLANES 8
#endif

/* ---- method "bits" ----------------------------------------------------------------------------------------------- */

/* One column of 64 rows. differ: rows whose letter is not the column's. vp, vm: the vertical differences, left of the
 * column, then right of it. hp, hm: the horizontal difference above the rows in bit 63, then those of all rows. */
#define DEFINE_COLUMN(name, type)                                                                                     \
    static void name(type differ, type *vp, type *vm, type *hp, type *hm) {                                           \
        const type inP = *hp >> 63, inM = *hm >> 63;                                                                  \
        const type xv = ~differ | *vm;                                                                                \
        const type eq = ~differ | inM;                                                                                \
        const type xh = (((eq & *vp) + *vp) ^ *vp) | eq;                                                              \
        *hp = *vm | ~(xh | *vp);                                                                                      \
        *hm = *vp & xh;                                                                                               \
        const type downP = *hp << 1 | inP, downM = *hm << 1 | inM;                                                    \
        *vp = downM | ~(xv | downP);                                                                                  \
        *vm = downP & xv;                                                                                             \
    }

DEFINE_COLUMN(column1, ulong)

#ifndef OCR_DEVICE_GPU

DEFINE_COLUMN(column8, ulong8)

/* Eight words of rows below each other make a vector, `CHAINS` vectors a sweep. Lane k works on column t - k in step
 * t, one column after the lane above it, so that no lane waits for another one in the same step. */
#define LANES  8
#define CHAINS (PLANES <= 4 ? 4 : 2)
#define CHUNK  (PLANES <= 2 ? 2048 : PLANES <= 4 ? 1024 : 512)
#define ENDS   (4 * LANES)

typedef struct {
    ulong8 vp, vm, hp, hm, plane[PLANES];
} Chain;

/* The lanes k that have a column in this step: 0 <= step - k < columns. */
static ulong8 active(long step, long columns) {
    const long8 lane = (long8)(0, 1, 2, 3, 4, 5, 6, 7);
    return as_ulong8((lane <= (long8)(step)) & (lane > (long8)(step - columns)));
}

/* text: plane p of column c, spread into a word of 0 or ~0, at [p * (CHUNK + 2 * ENDS) - c]; so one load at column t
 * has the column of every lane. horizontal: the boundary above, replaced by the one below. */
__attribute__((always_inline)) /* for `chains` to be a constant in its loops */
static void sweep(const uint chains, uint words, uint columns, __global const ulong *rowPlanes,
                  const __private ulong *text, __global ulong *vertical, __global ulong *horizontal) {
    const uint lag = LANES * chains - 1, total = columns + lag;
    Chain chain[4];
#pragma unroll
    for (uint k = 0; k < chains; k++) {
        chain[k].vp = vload8(k, vertical);
        chain[k].vm = vload8(k, vertical + words);
        chain[k].hp = chain[k].hm = 0;
#pragma unroll
        for (uint p = 0; p < PLANES; p++)
            chain[k].plane[p] = vload8(k, rowPlanes + p * words);
    }

    ulong topP = 0, topM = 0, bottomP = 0, bottomM = 0;
    for (uint t = 0; t < total;) {
        if (t % 64 == 0 && t < columns) {
            topP = horizontal[t / 64];
            topM = horizontal[words + t / 64];
        }
        /* Up to the next word of the boundary above or below nothing happens but steps. */
        const uint stop = min(total, t % 64 < lag ? t - t % 64 + lag : t - t % 64 + 64);
        for (; t < stop; t++) {
            const bool masked = t < lag || t >= columns;
#pragma unroll
            for (uint above = chains; above > 0; above--) {
                const uint k = above - 1;
                Chain *one = &chain[k];
                ulong8 differ = 0;
#pragma unroll
                for (uint p = 0; p < PLANES; p++)
                    differ |= one->plane[p] ^ vload8(0, text + p * (CHUNK + 2 * ENDS) - (int)t + (int)(k * LANES));
                one->hp = (ulong8)(k == 0 ? topP : chain[k - 1].hp.s7, one->hp.s0123, one->hp.s456);
                one->hm = (ulong8)(k == 0 ? topM : chain[k - 1].hm.s7, one->hm.s0123, one->hm.s456);
                ulong8 vp = one->vp, vm = one->vm;
                column8(differ, &vp, &vm, &one->hp, &one->hm);
                if (masked) {
                    const ulong8 keep = ~active((long)t - k * LANES, columns);
                    vp = (vp & ~keep) | (one->vp & keep);
                    vm = (vm & ~keep) | (one->vm & keep);
                }
                one->vp = vp;
                one->vm = vm;
            }
            topP <<= 1;
            topM <<= 1;
            bottomP = bottomP << 1 | chain[chains - 1].hp.s7 >> 63;
            bottomM = bottomM << 1 | chain[chains - 1].hm.s7 >> 63;
        }
        if (t > lag && (t - lag) % 64 == 0) {
            horizontal[(t - lag) / 64 - 1] = bottomP;
            horizontal[words + (t - lag) / 64 - 1] = bottomM;
        }
    }
    if (columns % 64 != 0) {
        horizontal[columns / 64] = bottomP << (64 - columns % 64);
        horizontal[words + columns / 64] = bottomM << (64 - columns % 64);
    }
#pragma unroll
    for (uint k = 0; k < chains; k++) {
        vstore8(chain[k].vp, k, vertical);
        vstore8(chain[k].vm, k, vertical + words);
    }
}

/* One word of rows: for the words that fill no vector. */
static void sweepWord(uint words, uint columns, __global const ulong *rowPlanes, __global const uchar *columnCodes,
                      __global ulong *vertical, __global ulong *horizontal) {
    ulong vp = vertical[0], vm = vertical[words];
    for (uint first = 0; first < columns; first += 64) {
        const uint count = min(64u, columns - first);
        ulong topP = horizontal[first / 64], topM = horizontal[words + first / 64], bottomP = 0, bottomM = 0;
        for (uint c = 0; c < count; c++) {
            const uint code = columnCodes[first + c];
            ulong differ = 0, hp = topP << c, hm = topM << c;
            for (uint p = 0; p < PLANES; p++)
                differ |= rowPlanes[p * words] ^ (0 - (ulong)(code >> p & 1));
            column1(differ, &vp, &vm, &hp, &hm);
            bottomP = bottomP << 1 | hp >> 63;
            bottomM = bottomM << 1 | hm >> 63;
        }
        horizontal[first / 64] = bottomP << (64 - count);
        horizontal[words + first / 64] = bottomM << (64 - count);
    }
    vertical[0] = vp;
    vertical[words] = vm;
}

__kernel void levenshtein_bits_cpu(uint tile, uint rows, uint columns, uint planes, __global const ulong *rowPlanes,
                                   __global const uchar *columnCodes, __global ulong *vertical,
                                   __global ulong *horizontal, __global const uchar *leftDone,
                                   __global const uchar *upDone) {
    const uint words = tile / 64, used = min(words, (rows + 511) / 512 * 8);
    const uint wide = CHAINS * LANES, inWide = used / wide * wide, inVectors = used / LANES * LANES;
    ulong spread[PLANES * (CHUNK + 2 * ENDS)];
    if (inVectors > 0)
        for (uint i = 0; i < PLANES * (CHUNK + 2 * ENDS); i++)
            spread[i] = 0; /* the ends are read, by lanes that have no column */

    for (uint first = 0; first < columns; first += CHUNK) {
        const uint count = min((uint)CHUNK, columns - first);
        __global const uchar *codes = columnCodes + first;
        __global ulong *above = horizontal + first / 64;
        ulong *text = spread + ENDS + CHUNK - 1;
        if (inVectors > 0)
            for (uint p = 0; p < PLANES; p++)
                for (uint c = 0; c < count; c++)
                    *(text + p * (CHUNK + 2 * ENDS) - c) = 0 - (ulong)(codes[c] >> p & 1);
        for (uint w = 0; w < inWide; w += wide)
            sweep(CHAINS, words, count, rowPlanes + w, text, vertical + w, above);
        for (uint w = inWide; w < inVectors; w += LANES)
            sweep(1, words, count, rowPlanes + w, text, vertical + w, above);
        for (uint w = inVectors; w < used; w++)
            sweepWord(words, count, rowPlanes + w, codes, vertical + w, above);
    }
}

#endif

#ifndef OCR_DEVICE_CPU

/* Columns that a work-item does between two barriers. It starts that many columns after the one above it: fewer cost
 * more barriers, more leave more work-items idle at the start and the end of the tile. Divides 64. */
#define BAND 8

#define MAX_GROUP 256

__kernel void levenshtein_bits_gpu(uint tile, uint rows, uint columns, uint planes, __global const ulong *rowPlanes,
                                   __global const uchar *columnCodes, __global ulong *vertical,
                                   __global ulong *horizontal, __global const uchar *leftDone,
                                   __global const uchar *upDone) {
    __local uint down[2][MAX_GROUP]; /* a band of the boundary below each word: P in the low half, M in the high one */
    const uint lanes = get_local_size(0), lane = get_local_id(0);
    const uint words = tile / 64, used = (rows + 63) / 64, bands = (columns + BAND - 1) / BAND;

    for (uint first = 0; first < used; first += lanes) {
        const uint word = first + lane, here = min(lanes, used - first);
        const bool works = lane < here, last = lane == here - 1;
        ulong vp = 0, vm = 0, bottomP = 0, bottomM = 0, plane[PLANES];
        if (works) {
            vp = vertical[word];
            vm = vertical[words + word];
#pragma unroll
            for (uint p = 0; p < PLANES; p++)
                plane[p] = rowPlanes[p * words + word];
        }

        for (uint step = 0; step < bands + here - 1; step++) {
            const uint band = step - lane; /* huge before the first band */
            if (works && band < bands) {
                const uint column = band * BAND, count = min((uint)BAND, columns - column);
                ulong topP, topM; /* the band's first column in bit 63 */
                if (lane == 0) {
                    topP = horizontal[column / 64] << (column % 64);
                    topM = horizontal[words + column / 64] << (column % 64);
                } else {
                    const uint above = down[~step & 1][lane - 1];
                    topP = (ulong)(above & 0xffff) << (64 - BAND);
                    topM = (ulong)(above >> 16) << (64 - BAND);
                }
                uint outP = 0, outM = 0;
#pragma unroll
                for (uint c = 0; c < BAND; c++) {
                    outP <<= 1;
                    outM <<= 1;
                    if (c < count) {
                        const uint code = columnCodes[column + c];
                        ulong differ = 0, hp = topP << c, hm = topM << c;
#pragma unroll
                        for (uint p = 0; p < PLANES; p++)
                            differ |= plane[p] ^ (0 - (ulong)(code >> p & 1));
                        column1(differ, &vp, &vm, &hp, &hm);
                        outP |= (uint)(hp >> 63);
                        outM |= (uint)(hm >> 63);
                    }
                }
                down[step & 1][lane] = outM << 16 | outP;
                if (last) {
                    /* Item 0 has read this word of the boundary above already: some barriers ago, or it is this item. */
                    bottomP = bottomP << BAND | outP;
                    bottomM = bottomM << BAND | outM;
                    const uint filled = column % 64 + BAND;
                    if (filled == 64 || band == bands - 1) {
                        horizontal[column / 64] = bottomP << (64 - filled);
                        horizontal[words + column / 64] = bottomM << (64 - filled);
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        }
        if (works) {
            vertical[word] = vp;
            vertical[words + word] = vm;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* the next words read the boundary written here */
    }
}

#endif

/* ---- method "dp": put your own recurrence here, and into editTileDp --------------------------------------------- */

static uint cellValue(uint northWest, uint north, uint west, bool equal) {
    return min(northWest + (equal ? 0 : 1), min(north, west) + 1);
}

#ifndef OCR_DEVICE_GPU

__kernel void levenshtein_dp_cpu(uint tile, uint rows, uint columns, __global const uchar *rowLetters,
                                 __global const uchar *columnLetters, __global uint *left, __global uint *top,
                                 __global const uchar *leftDone, __global const uchar *upDone) {
    const uint nextCorner = top[columns - 1];
    uint corner = left[0];
    for (uint r = 0; r < rows; r++) {
        uint northWest = corner, west = left[r + 1];
        corner = west;
        for (uint c = 0; c < columns; c++) {
            const uint north = top[c];
            west = cellValue(northWest, north, west, rowLetters[r] == columnLetters[c]);
            northWest = north;
            top[c] = west;
        }
        left[r + 1] = west;
    }
    left[0] = nextCorner;
}

#endif

#ifndef OCR_DEVICE_CPU

/* A work-item has a row, and is one column behind the row above it. */
__kernel void levenshtein_dp_gpu(uint tile, uint rows, uint columns, __global const uchar *rowLetters,
                                 __global const uchar *columnLetters, __global uint *left, __global uint *top,
                                 __global const uchar *leftDone, __global const uchar *upDone) {
    __local uint below[2][MAX_GROUP];
    const uint lanes = get_local_size(0), lane = get_local_id(0);
    const uint nextCorner = top[columns - 1];
    uint corner = left[0];

    for (uint first = 0; first < rows; first += lanes) {
        const uint row = first + lane, here = min(lanes, rows - first);
        const bool works = lane < here;
        uint northWest = lane == 0 ? corner : works ? left[row] : 0, west = works ? left[row + 1] : 0;
        corner = left[first + here];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* all have read before one writes */

        for (uint step = 0; step < columns + here - 1; step++) {
            const uint column = step - lane; /* huge before the first column */
            if (works && column < columns) {
                const uint north = lane == 0 ? top[column] : below[~step & 1][lane - 1];
                west = cellValue(northWest, north, west, rowLetters[row] == columnLetters[column]);
                northWest = north;
                below[step & 1][lane] = west;
                if (lane == here - 1)
                    top[column] = west;
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        }
        if (works)
            left[row + 1] = west;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* the next rows read what this row's end wrote */
    }
    if (lane == 0)
        left[0] = nextCorner;
}

#endif
