/* The bit-parallel tile of edit-distance.c with AVX2 and AVX-512. Included there alone.
 *
 * A vector holds the words of 4 or 8 blocks of 64 rows below each other. In one step lane k works on column t - k: one
 * column after lane k - 1, whose horizontal differences of that column it takes over. So the lanes do not wait for
 * each other, and one lane shift a step carries the differences down. Several vectors (`chains`) continue that skew,
 * and hide each other's latency. At the left and right end of the tile, where a lane has no column yet or none any
 * more, a mask keeps its state.
 *
 * Rows match a column where the planes of their codes agree. A plane of the columns is spread into whole words
 * (0 or ~0), in reverse order, so that one load at column t gives lane k the word of column t - k.
 *
 * This file has what differs between the instruction sets; the sweep itself is in edit-distance-sweep.h. */
#ifndef EDIT_DISTANCE_X86_H
#define EDIT_DISTANCE_X86_H

#include <immintrin.h>

/* Columns are taken in chunks, so that their spread planes stay in the near caches: 64 KiB for all planes. */
#define SPREAD_WORDS 8192u
#define SPREAD_ENDS  32u /* words before and behind a chunk, read by lanes that have no column */

static uint32_t chunkColumns(uint32_t planes) {
    return (SPREAD_WORDS / planes - 2 * SPREAD_ENDS) / 64 * 64;
}

/* ---- AVX-512 ----------------------------------------------------------------------------------------------------- */

#define TARGET    __attribute__((target("avx512f,avx512vbmi2")))
#define NAME(x)   x##Avx512
#define LANES     8
#define CHAINS(p) ((p) <= 4 ? 4 : 2) /* more planes than that do not fit into the registers */

static int haveAvx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2");
}

typedef __m512i VecAvx512;
typedef __mmask8 MaskAvx512;

TARGET ALWAYS_INLINE __m512i loadAvx512(const uint64_t *p) {
    return _mm512_loadu_si512(p);
}

TARGET ALWAYS_INLINE void storeAvx512(uint64_t *p, __m512i v) {
    _mm512_storeu_si512(p, v);
}

TARGET ALWAYS_INLINE __m512i allLanesAvx512(uint64_t x) {
    return _mm512_set1_epi64((int64_t)x);
}

/* Bit p of 8 codes, spread into whole words, the last code first. */
TARGET ALWAYS_INLINE __m512i spreadAvx512(const uint8_t *codes, uint32_t p) {
    const __m512i code = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)codes));
    const __m512i whole = _mm512_srai_epi64(_mm512_sll_epi64(code, _mm_cvtsi32_si128(63 - (int)p)), 63);
    return _mm512_permutexvar_epi64(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), whole);
}

/* The lanes k that have a column: 0 <= step - k < columns. */
TARGET ALWAYS_INLINE __mmask8 activeAvx512(int64_t step, int64_t columns) {
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_cmple_epi64_mask(lane, _mm512_set1_epi64(step)) &
           _mm512_cmpgt_epi64_mask(lane, _mm512_set1_epi64(step - columns));
}

TARGET ALWAYS_INLINE __m512i selectAvx512(__mmask8 mask, __m512i yes, __m512i no) {
    return _mm512_mask_mov_epi64(no, mask, yes);
}

TARGET ALWAYS_INLINE __m512i shiftAvx512(__m512i v) {
    return _mm512_slli_epi64(v, 1);
}

/* v shifted by one bit, the highest bit of each lane of `in` coming in. */
TARGET ALWAYS_INLINE __m512i shiftInAvx512(__m512i v, __m512i in) {
    return _mm512_shldi_epi64(v, in, 1);
}

/* Each lane from the lane above it, lane 0 from the last lane of `above`. */
TARGET ALWAYS_INLINE __m512i downAvx512(__m512i v, __m512i above) {
    return _mm512_alignr_epi64(v, above, 7);
}

TARGET ALWAYS_INLINE __m512i xorAvx512(__m512i x, __m512i y) {
    return _mm512_xor_si512(x, y);
}

TARGET ALWAYS_INLINE __m512i orXorAvx512(__m512i x, __m512i y, __m512i z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0xf6); /* x | (y ^ z) */
}

/* One column of each lane: see column64 in edit-distance.c. hp, hm: in, the differences from above; out, its own. */
TARGET ALWAYS_INLINE void columnAvx512(__m512i differ, __m512i *vp, __m512i *vm, __m512i *hp, __m512i *hm) {
    const __m512i inP = *hp, inM = *hm;
    const __m512i xv = _mm512_ternarylogic_epi64(*vm, differ, differ, 0xf3);                        /* x | ~y */
    const __m512i eq = _mm512_ternarylogic_epi64(_mm512_srli_epi64(inM, 63), differ, differ, 0xf3); /* x | ~y */
    const __m512i sum = _mm512_add_epi64(_mm512_and_si512(eq, *vp), *vp);
    const __m512i xh = _mm512_ternarylogic_epi64(sum, *vp, eq, 0xbe); /* (x ^ y) | z */
    *hp = _mm512_ternarylogic_epi64(*vm, xh, *vp, 0xf1);              /* x | ~(y | z) */
    *hm = _mm512_and_si512(*vp, xh);
    const __m512i downP = _mm512_shldi_epi64(*hp, inP, 1), downM = _mm512_shldi_epi64(*hm, inM, 1);
    *vp = _mm512_ternarylogic_epi64(downM, xv, downP, 0xf1);
    *vm = _mm512_and_si512(downP, xv);
}

#include "edit-distance-sweep.h"

/* ---- AVX2 -------------------------------------------------------------------------------------------------------- */

#define TARGET    __attribute__((target("avx2")))
#define NAME(x)   x##Avx2
#define LANES     4
#define CHAINS(p) ((p) <= 4 ? 4 : 2)

static int haveAvx2(void) {
    return __builtin_cpu_supports("avx2");
}

typedef __m256i VecAvx2;
typedef __m256i MaskAvx2;

TARGET ALWAYS_INLINE __m256i loadAvx2(const uint64_t *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}

TARGET ALWAYS_INLINE void storeAvx2(uint64_t *p, __m256i v) {
    _mm256_storeu_si256((__m256i *)p, v);
}

TARGET ALWAYS_INLINE __m256i allLanesAvx2(uint64_t x) {
    return _mm256_set1_epi64x((int64_t)x);
}

TARGET ALWAYS_INLINE __m256i spreadAvx2(const uint8_t *codes, uint32_t p) {
    uint32_t four;
    memcpy(&four, codes, sizeof four);
    const __m256i code = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)four));
    const __m256i bit = _mm256_and_si256(_mm256_srl_epi64(code, _mm_cvtsi32_si128((int)p)), allLanesAvx2(1));
    return _mm256_permute4x64_epi64(_mm256_sub_epi64(_mm256_setzero_si256(), bit), 0x1b);
}

TARGET ALWAYS_INLINE __m256i activeAvx2(int64_t step, int64_t columns) {
    const __m256i lane = _mm256_set_epi64x(3, 2, 1, 0);
    return _mm256_andnot_si256(_mm256_cmpgt_epi64(lane, _mm256_set1_epi64x(step)),
                               _mm256_cmpgt_epi64(lane, _mm256_set1_epi64x(step - columns)));
}

TARGET ALWAYS_INLINE __m256i selectAvx2(__m256i mask, __m256i yes, __m256i no) {
    return _mm256_blendv_epi8(no, yes, mask);
}

TARGET ALWAYS_INLINE __m256i shiftAvx2(__m256i v) {
    return _mm256_slli_epi64(v, 1);
}

TARGET ALWAYS_INLINE __m256i shiftInAvx2(__m256i v, __m256i in) {
    return _mm256_or_si256(_mm256_slli_epi64(v, 1), _mm256_srli_epi64(in, 63));
}

TARGET ALWAYS_INLINE __m256i downAvx2(__m256i v, __m256i above) {
    return _mm256_permute4x64_epi64(_mm256_blend_epi32(v, above, 0xc0), 0x93);
}

TARGET ALWAYS_INLINE __m256i xorAvx2(__m256i x, __m256i y) {
    return _mm256_xor_si256(x, y);
}

TARGET ALWAYS_INLINE __m256i orXorAvx2(__m256i x, __m256i y, __m256i z) {
    return _mm256_or_si256(x, _mm256_xor_si256(y, z));
}

/* With "and not" for want of three-operand logic: xv, eq and xh of column64 are kept inverted. */
TARGET ALWAYS_INLINE void columnAvx2(__m256i differ, __m256i *vp, __m256i *vm, __m256i *hp, __m256i *hm) {
    const __m256i inP = _mm256_srli_epi64(*hp, 63), inM = _mm256_srli_epi64(*hm, 63);
    const __m256i notXv = _mm256_andnot_si256(*vm, differ), notEq = _mm256_andnot_si256(inM, differ);
    const __m256i sum = _mm256_add_epi64(_mm256_andnot_si256(notEq, *vp), *vp);
    const __m256i notXh = _mm256_andnot_si256(_mm256_xor_si256(sum, *vp), notEq);
    *hp = _mm256_or_si256(*vm, _mm256_andnot_si256(*vp, notXh));
    *hm = _mm256_andnot_si256(notXh, *vp);
    const __m256i downP = _mm256_or_si256(_mm256_slli_epi64(*hp, 1), inP);
    const __m256i downM = _mm256_or_si256(_mm256_slli_epi64(*hm, 1), inM);
    *vp = _mm256_or_si256(downM, _mm256_andnot_si256(downP, notXv));
    *vm = _mm256_andnot_si256(notXv, downP);
}

#include "edit-distance-sweep.h"

#endif
