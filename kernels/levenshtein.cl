/* The tiles of examples/levenshtein.c as kernels. What the arguments hold is told in examples/common/edit-distance.h.
 *
 * Each method has two forms. On a CPU device one work-item sweeps the tile: several tiles run at once, barriers cost
 * much there, and vectors are wide. On a GPU a work-group sweeps it, neighbouring work-items handing the boundary
 * between them on through local memory.
 *
 * The last two arguments are the control dependences on the tiles to the left and above, which carry no data.
 *
 * -DPLANES=n tells the number of bits of a letter's code, so that the loops over them unroll. */

/* The task of a block has one data block more, of its C function: see examples/levenshtein.c. */
#ifdef IN_BLOCKS
#define INNER , __global const uchar *inner
#else
#define INNER
#endif

#ifndef PLANES
#define PLANES 8
#endif

/* ---- method "bits" ----------------------------------------------------------------------------------------------- */

/* One column of 64 rows. differ: rows whose letter is not the column's. vp, vm: the vertical differences, left of the
 * column, then right of it. hp, hm: the horizontal difference above the rows in bit 63, then those of all rows. */
static void column1(ulong differ, ulong *vp, ulong *vm, ulong *hp, ulong *hm) {
    const ulong inP = *hp >> 63, inM = *hm >> 63;
    const ulong xv = ~differ | *vm;
    const ulong eq = ~differ | inM;
    const ulong xh = (((eq & *vp) + *vp) ^ *vp) | eq;
    *hp = *vm | ~(xh | *vp);
    *hm = *vp & xh;
    const ulong downP = *hp << 1 | inP, downM = *hm << 1 | inM;
    *vp = downM | ~(xv | downP);
    *vm = downP & xv;
}

#ifndef OCR_DEVICE_GPU

/* Eight words of rows below each other make a vector, and up to `CHAINS` vectors are swept together: more would not fit
 * into 32 registers. In step t lane k of the first vector works on column t - k, one column after the lane above it, so
 * that no lane waits for another one in the same step; the next vector goes on with lane 8.
 *
 * The inner loop is written for compilers that make one instruction of two logical operations (AVX-512) unless a "not"
 * stands between them, and of "and not" (AVX2): so hp is inverted where it is handed on, and so are the planes of the
 * columns. */
#define LANES  8
#define CHAINS (PLANES <= 4 ? 4 : 2)
#define CHUNK  (PLANES <= 2 ? 4096 : PLANES <= 4 ? 2048 : 1024)
#define ENDS   (4 * LANES)
#define STRIDE (CHUNK + 2 * ENDS)

/* A vector of words. carryP, carryM: of each lane's last column, the horizontal difference that the lane below takes
 * in, 0 or 1; carryP is 0 where the difference is 1. */
typedef struct {
    ulong8 vp, vm, carryP, carryM, plane[PLANES];
} Chain;

static void begin(Chain *chain, uint k, uint words, __global const ulong *rowPlanes, __global const ulong *vertical) {
    chain->vp = vload8(k, vertical);
    chain->vm = vload8(k, vertical + words);
    chain->carryP = chain->carryM = 0;
#pragma unroll
    for (uint p = 0; p < PLANES; p++)
        chain->plane[p] = vload8(k, rowPlanes + p * words);
}

static void end(const Chain *chain, uint k, uint words, __global ulong *vertical) {
    vstore8(chain->vp, k, vertical);
    vstore8(chain->vm, k, vertical + words);
}

/* A step of one chain. text: the columns' planes where this chain's lane 0 is. aboveP, aboveM: their last lanes are
 * what lane 0 takes in from above. With `masked`, only the lanes k change that have a column: 0 <= at - k < columns. */
__attribute__((always_inline)) /* for `masked` to be a constant in the loop */
static void step(Chain *chain, const __private ulong *text, ulong8 aboveP, ulong8 aboveM, const bool masked, int at,
                 int columns) {
    ulong8 same = chain->plane[0] ^ vload8(0, text);
#pragma unroll
    for (uint p = 1; p < PLANES; p++)
        same &= chain->plane[p] ^ vload8(0, text + p * STRIDE);
    const ulong8 inP = (ulong8)(aboveP.s7, chain->carryP.s0123, chain->carryP.s456);
    const ulong8 inM = (ulong8)(aboveM.s7, chain->carryM.s0123, chain->carryM.s456);
    const ulong8 vp = chain->vp, vm = chain->vm;
    const ulong8 x = same | vm | inM;
    const ulong8 xh = (((x & vp) + vp) ^ vp) | x; /* vp and vm have no bit in common: x & vp is eq & vp */
    const ulong8 notHp = ~vm & (xh | vp), hm = vp & xh;
    chain->carryP = notHp >> 63;
    chain->carryM = hm >> 63;
    const ulong8 notDownP = notHp << 1 | inP, downM = hm << 1 | inM;
    chain->vp = downM | (notDownP & ~xh);
    chain->vm = xh & ~notDownP;
    if (masked) {
        const long8 lane = (long8)(0, 1, 2, 3, 4, 5, 6, 7);
        const long8 active = (lane <= (long8)(at)) & (lane > (long8)(at - columns));
        chain->vp = active ? chain->vp : vp;
        chain->vm = active ? chain->vm : vm;
    }
}

/* text: plane p of column c, inverted and spread into a word of 0 or ~0, at [p * STRIDE - c]; so one load at column t
 * has the column of every lane. horizontal: the boundary above, replaced by the one below. */
__attribute__((always_inline)) /* for `chains` to be a constant */
static void sweep(const uint chains, uint words, uint columns, __global const ulong *rowPlanes,
                  const __private ulong *text, __global ulong *vertical, __global ulong *horizontal) {
    const uint lag = LANES * chains - 1, total = columns + lag;
    Chain a, b, c, d; /* no array, which compilers leave in memory */
    begin(&a, 0, words, rowPlanes, vertical);
    if (chains > 1)
        begin(&b, 1, words, rowPlanes, vertical);
    if (chains > 2)
        begin(&c, 2, words, rowPlanes, vertical);
    if (chains > 3)
        begin(&d, 3, words, rowPlanes, vertical);

    /* The lowest chain first: each takes what the one above it left in the step before. */
#define STEP(masked)                                                                                                  \
    do {                                                                                                              \
        const ulong8 topP = edgeP >> 63, topM = edgeM >> 63;                                                          \
        if (chains > 3)                                                                                               \
            step(&d, text - (int)t + 3 * LANES, c.carryP, c.carryM, masked, (int)t - 3 * LANES, (int)columns);        \
        if (chains > 2)                                                                                               \
            step(&c, text - (int)t + 2 * LANES, b.carryP, b.carryM, masked, (int)t - 2 * LANES, (int)columns);        \
        if (chains > 1)                                                                                               \
            step(&b, text - (int)t + LANES, a.carryP, a.carryM, masked, (int)t - LANES, (int)columns);                \
        step(&a, text - (int)t, topP, topM, masked, (int)t, (int)columns);                                            \
        edgeP = edgeP << 1 | (chains > 3 ? d.carryP : chains > 2 ? c.carryP : chains > 1 ? b.carryP : a.carryP);      \
        edgeM = edgeM << 1 | (chains > 3 ? d.carryM : chains > 2 ? c.carryM : chains > 1 ? b.carryM : a.carryM);      \
    } while (0)

    /* 64 steps take in a word of the boundary above, and put out as many differences of the boundary below: into the
     * place that becomes free in the same word, of which the last lane alone counts. They are of columns `lag` to the
     * left. A word below is written when two times 64 steps have it together, after the word above was read. */
    ulong lastP = 0, lastM = 0;
    for (uint t = 0; t < total;) {
        const uint w = t / 64, stop = min(total, t + 64);
        const bool masked = t == 0 || stop > columns;
        ulong8 edgeP = 0, edgeM = 0;
        if (t < columns) {
            edgeP = ~horizontal[w];
            edgeM = horizontal[words + w];
        }
        if (masked) {
            for (; t < stop; t++)
                STEP(true);
        } else {
            for (; t < stop; t++)
                STEP(false);
        }
        const ulong outP = ~edgeP.s7 << (w * 64 + 64 - stop), outM = edgeM.s7 << (w * 64 + 64 - stop);
        if (w > 0) {
            horizontal[w - 1] = lastP << lag | outP >> (64 - lag);
            horizontal[words + w - 1] = lastM << lag | outM >> (64 - lag);
        }
        lastP = outP;
        lastM = outM;
    }
#undef STEP
    if ((total - 1) / 64 == (columns - 1) / 64) {
        horizontal[(columns - 1) / 64] = lastP << lag;
        horizontal[words + (columns - 1) / 64] = lastM << lag;
    }
    end(&a, 0, words, vertical);
    if (chains > 1)
        end(&b, 1, words, vertical);
    if (chains > 2)
        end(&c, 2, words, vertical);
    if (chains > 3)
        end(&d, 3, words, vertical);
}

/* Makes the text of `sweep` of the codes of a chunk of columns; column c of plane p goes to [p * STRIDE - 1 - c]. Codes
 * are read up to a multiple of LANES: a tile's columns fill a multiple of 64 bytes. */
static void spreadText(uint columns, __global const uchar *codes, __private ulong *text) {
    const uint full = (columns + LANES - 1) / LANES * LANES;
    for (uint p = 0; p < PLANES; p++) {
        __private ulong *plane = text + p * STRIDE;
        for (uint i = 0; i < ENDS; i += LANES) { /* the ends are read, by lanes that have no column */
            vstore8((ulong8)(0), 0, plane + i);
            vstore8((ulong8)(0), 0, plane - full - ENDS + i);
        }
        for (uint c = 0; c < full; c += LANES) {
            const ulong8 bit = convert_ulong8(vload8(0, codes + c)) >> p & (ulong8)(1);
            vstore8(bit.s76543210 - (ulong8)(1), 0, plane - c - LANES);
        }
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
                                   __global const uchar *upDone INNER) {
    /* The words behind the last row are left as they are, as the C function leaves them: what is below it would go on
     * into `horizontal`. */
    const uint words = tile / 64, used = (rows + 63) / 64;
    const uint inVectors = used / LANES * LANES;
    ulong spread[PLANES * STRIDE];

    for (uint first = 0; first < columns; first += CHUNK) {
        const uint count = min((uint)CHUNK, columns - first);
        __global const uchar *codes = columnCodes + first;
        __global ulong *above = horizontal + first / 64;
        const __private ulong *text = spread + ENDS + CHUNK - 1;
        if (inVectors > 0)
            spreadText(count, codes, spread + ENDS + CHUNK);
        uint w = 0;
        for (; w + CHAINS * LANES <= inVectors; w += CHAINS * LANES)
            sweep(CHAINS, words, count, rowPlanes + w, text, vertical + w, above);
        for (; CHAINS > 2 && w + 2 * LANES <= inVectors; w += 2 * LANES)
            sweep(2, words, count, rowPlanes + w, text, vertical + w, above);
        for (; w < inVectors; w += LANES)
            sweep(1, words, count, rowPlanes + w, text, vertical + w, above);
        for (; w < used; w++)
            sweepWord(words, count, rowPlanes + w, codes, vertical + w, above);
    }
}

#endif

#ifndef OCR_DEVICE_CPU

/* Columns that a work-item does between two barriers, whose letters vload8 loads at once. It starts that many columns
 * after the one above it: fewer cost more barriers, more leave more work-items idle at the start and the end of the
 * tile. */
#define BAND 8

#define MAX_GROUP 256

/* Columns of one word, `count` of them, in a band that begins in bit BAND - 1 of `above`: a bit of P in the low half,
 * and of M in the high one. Returns the band of the boundary below the word in the same form. */
__attribute__((always_inline)) /* for `count` to be a constant */
static uint sweepBand(const uint count, const uchar *codes, const ulong *plane, ulong *vp, ulong *vm, uint above) {
    uint outP = 0, outM = 0;
#pragma unroll
    for (uint c = 0; c < BAND; c++) {
        outP <<= 1;
        outM <<= 1;
        if (c < count) {
            ulong differ = 0, hp = (ulong)above << (64 - BAND + c), hm = (ulong)(above >> 16) << (64 - BAND + c);
#pragma unroll
            for (uint p = 0; p < PLANES; p++)
                differ |= plane[p] ^ (0 - (ulong)(codes[c] >> p & 1));
            column1(differ, vp, vm, &hp, &hm);
            outP |= (uint)(hp >> 63);
            outM |= (uint)(hm >> 63);
        }
    }
    return outM << 16 | outP;
}

__kernel void levenshtein_bits_gpu(uint tile, uint rows, uint columns, uint planes, __global const ulong *rowPlanes,
                                   __global const uchar *columnCodes, __global ulong *vertical,
                                   __global ulong *horizontal, __global const uchar *leftDone,
                                   __global const uchar *upDone INNER) {
    __local uint down[2][MAX_GROUP]; /* the band of the boundary below each word */
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
                uint above;
                if (lane == 0) {
                    const uint shift = 64 - BAND - column % 64;
                    above = (uint)(horizontal[column / 64] >> shift) & 0xffff;
                    above |= (uint)(horizontal[words + column / 64] >> shift) << 16;
                } else {
                    above = down[~step & 1][lane - 1];
                }
                uchar codes[BAND];
                uint out;
                if (count == BAND) {
                    vstore8(vload8(band, columnCodes), 0, codes); /* BAND of them */
                    out = sweepBand(BAND, codes, plane, &vp, &vm, above);
                } else {
#pragma unroll
                    for (uint c = 0; c < BAND; c++)
                        codes[c] = c < count ? columnCodes[column + c] : 0;
                    out = sweepBand(count, codes, plane, &vp, &vm, above);
                }
                down[step & 1][lane] = out;
                if (last) {
                    /* Item 0 has read this word of the boundary above already: some barriers ago, or it is this item.
                     */
                    bottomP = bottomP << BAND | (out & 0xffff);
                    bottomM = bottomM << BAND | out >> 16;
                    const uint filled = column % 64 + BAND;
                    if (filled == 64 || band == bands - 1) {
                        horizontal[column / 64] = bottomP << (64 - filled);
                        horizontal[words + column / 64] = bottomM << (64 - filled);
                    }
                }
            }
            /* What is handed on within the words of the group is in local memory. The last item overwrites words of the
             * boundary that item 0 has read. */
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
                                 __global const uchar *leftDone, __global const uchar *upDone INNER) {
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
                                 __global const uchar *leftDone, __global const uchar *upDone INNER) {
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
                    top[column] = west; /* item 0 has read what was there before */
            }
            /* What the rows hand on is in local memory, and what was read of the boundary in global memory. */
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
