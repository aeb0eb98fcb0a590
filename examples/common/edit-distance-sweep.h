/* The skewed sweep of a tile, for one instruction set: included once for each by edit-distance-x86.h, which says
 * there what the names mean. Expects TARGET, NAME, LANES and CHAINS, and undefines them. */

#define Vec  NAME(Vec)
#define Mask NAME(Mask)

/* LANES words of rows. */
typedef struct {
    Vec vp, vm;   /* vertical differences */
    Vec hp, hm;   /* horizontal differences of each lane's last column */
    Vec plane[8]; /* of the rows' codes */
} NAME(Chain);

/* The first `some` lanes; 0 in the others. */
TARGET ALWAYS_INLINE Vec NAME(loadSome)(const uint64_t *p, uint32_t some) {
    if (some >= LANES)
        return NAME(load)(p);
    uint64_t lanes[LANES] = { 0 };
    memcpy(lanes, p, some * sizeof *p);
    return NAME(load)(lanes);
}

TARGET ALWAYS_INLINE void NAME(storeSome)(uint64_t *p, Vec v, uint32_t some) {
    uint64_t lanes[LANES];
    NAME(store)(lanes, v);
    memcpy(p, lanes, (some < LANES ? some : LANES) * sizeof *p);
}

TARGET ALWAYS_INLINE uint64_t NAME(lane)(Vec v, uint32_t lane) {
    uint64_t lanes[LANES];
    NAME(store)(lanes, v);
    return lanes[lane];
}

/* The chain of the words from `first` on, of `used` that there are. */
TARGET ALWAYS_INLINE void NAME(begin)(NAME(Chain) *chain, const uint32_t planes, uint32_t words, uint32_t first,
                                      uint32_t used, const uint64_t *rowPlanes, const uint64_t *vertical) {
    const Vec none = NAME(allLanes)(0);
    const uint32_t some = used - first;
    rowPlanes += first;
    vertical += first;
    chain->vp = NAME(loadSome)(vertical, some);
    chain->vm = NAME(loadSome)(vertical + words, some);
    chain->hp = chain->hm = none;
    /* Written out, so that every element has a constant index and can live in a register. */
    chain->plane[0] = NAME(loadSome)(rowPlanes, some);
    chain->plane[1] = planes > 1 ? NAME(loadSome)(rowPlanes + 1 * words, some) : none;
    chain->plane[2] = planes > 2 ? NAME(loadSome)(rowPlanes + 2 * words, some) : none;
    chain->plane[3] = planes > 3 ? NAME(loadSome)(rowPlanes + 3 * words, some) : none;
    chain->plane[4] = planes > 4 ? NAME(loadSome)(rowPlanes + 4 * words, some) : none;
    chain->plane[5] = planes > 5 ? NAME(loadSome)(rowPlanes + 5 * words, some) : none;
    chain->plane[6] = planes > 6 ? NAME(loadSome)(rowPlanes + 6 * words, some) : none;
    chain->plane[7] = planes > 7 ? NAME(loadSome)(rowPlanes + 7 * words, some) : none;
}

TARGET ALWAYS_INLINE void NAME(end)(const NAME(Chain) *chain, uint32_t words, uint32_t first, uint32_t used,
                                    uint64_t *vertical) {
    NAME(storeSome)(vertical + first, chain->vp, used - first);
    NAME(storeSome)(vertical + first + words, chain->vm, used - first);
}

/* A step of one chain. text: the spread planes where this chain's lane 0 is. aboveP, aboveM: their last lanes are what
 * lane 0 takes in from above. `step` counts from the first column of lane 0. */
TARGET ALWAYS_INLINE void NAME(step)(NAME(Chain) *chain, const uint32_t planes, uint32_t stride, const uint64_t *text,
                                     Vec aboveP, Vec aboveM, const bool masked, int64_t step, int64_t columns) {
    Vec differ = NAME(xor)(chain->plane[0], NAME(load)(text));
#define MORE(p)                                                                                                       \
    if (planes > p)                                                                                                   \
    differ = NAME(orXor)(differ, chain->plane[p], NAME(load)(text + p * stride))
    MORE(1);
    MORE(2);
    MORE(3);
    MORE(4);
    MORE(5);
    MORE(6);
    MORE(7);
#undef MORE
    chain->hp = NAME(down)(chain->hp, aboveP);
    chain->hm = NAME(down)(chain->hm, aboveM);
    Vec vp = chain->vp, vm = chain->vm;
    NAME(column)(differ, &vp, &vm, &chain->hp, &chain->hm);
    if (masked) {
        const Mask active = NAME(active)(step, columns);
        vp = NAME(select)(active, vp, chain->vp);
        vm = NAME(select)(active, vm, chain->vm);
    }
    chain->vp = vp;
    chain->vm = vm;
}

/* `used` words of rows, which need `chains` vectors, over a chunk of columns. Lanes behind them work on rows that
 * are not asked for. text: where the spread planes hold the first column. */
TARGET ALWAYS_INLINE void NAME(sweep)(const uint32_t planes, const uint32_t chains, uint32_t used, uint32_t words,
                                      uint32_t columns, uint32_t stride, const uint64_t *rowPlanes,
                                      const uint64_t *text, uint64_t *vertical, uint64_t *horizontal) {
    const uint32_t lag = used - 1, last = lag % LANES, total = columns + lag;
    Vec topP = NAME(allLanes)(0), topM = topP, bottomP = topP, bottomM = topP;
    NAME(Chain) a, b, c, d;
    NAME(begin)(&a, planes, words, 0, used, rowPlanes, vertical);
    if (chains > 1)
        NAME(begin)(&b, planes, words, LANES, used, rowPlanes, vertical);
    if (chains > 2)
        NAME(begin)(&c, planes, words, 2 * LANES, used, rowPlanes, vertical);
    if (chains > 3)
        NAME(begin)(&d, planes, words, 3 * LANES, used, rowPlanes, vertical);

    /* The lowest chain first: each takes what the one above it left in the step before. */
#define BELOW(chain, above, k, masked)                                                                                \
    if (chains > k)                                                                                                   \
    NAME(step)(&chain, planes, stride, text - t + k * LANES, above.hp, above.hm, masked, (int64_t)t - k * LANES,      \
               columns)
#define STEP(masked)                                                                                                  \
    do {                                                                                                              \
        BELOW(d, c, 3, masked);                                                                                       \
        BELOW(c, b, 2, masked);                                                                                       \
        BELOW(b, a, 1, masked);                                                                                       \
        NAME(step)(&a, planes, stride, text - t, topP, topM, masked, t, columns);                                     \
        topP = NAME(shift)(topP);                                                                                     \
        topM = NAME(shift)(topM);                                                                                     \
        bottomP = NAME(shiftIn)(bottomP, chains > 3 ? d.hp : chains > 2 ? c.hp : chains > 1 ? b.hp : a.hp);           \
        bottomM = NAME(shiftIn)(bottomM, chains > 3 ? d.hm : chains > 2 ? c.hm : chains > 1 ? b.hm : a.hm);           \
    } while (0)

    /* Between two stops there is nothing but steps. Stops: the next word of the row above (t = 64 i), a full word of
     * the row below (t = 64 i + lag), and where masks begin and cease to be needed. A word of the row below is written
     * after the same word of the row above was read: they may lie in one place. */
    for (uint32_t t = 0; t < total;) {
        if (t % 64 == 0 && t < columns) {
            topP = NAME(allLanes)(horizontal[t / 64]);
            topM = NAME(allLanes)(horizontal[words + t / 64]);
        }
        uint32_t stop = t % 64 < lag ? t - t % 64 + lag : t - t % 64 + 64;
        if (t < columns && stop > columns)
            stop = columns;
        if (stop > total)
            stop = total;
        if (t >= lag && stop <= columns) {
            for (; t < stop; t++)
                STEP(false);
        } else {
            for (; t < stop; t++)
                STEP(true);
        }
        if (t > lag && (t - lag) % 64 == 0) {
            horizontal[(t - lag) / 64 - 1] = NAME(lane)(bottomP, last);
            horizontal[words + (t - lag) / 64 - 1] = NAME(lane)(bottomM, last);
        }
    }
#undef STEP
#undef BELOW
    if (columns % 64 != 0) {
        horizontal[columns / 64] = NAME(lane)(bottomP, last) << (64 - columns % 64);
        horizontal[words + columns / 64] = NAME(lane)(bottomM, last) << (64 - columns % 64);
    }
    NAME(end)(&a, words, 0, used, vertical);
    if (chains > 1)
        NAME(end)(&b, words, LANES, used, vertical);
    if (chains > 2)
        NAME(end)(&c, words, 2 * LANES, used, vertical);
    if (chains > 3)
        NAME(end)(&d, words, 3 * LANES, used, vertical);
}

/* The words of rows below `to`, over a chunk of columns. A sweep of one vector takes as long as one of two, since its
 * steps wait for each other, and one of four a third longer: the fewer sweeps, the better. */
TARGET ALWAYS_INLINE void NAME(rows)(const uint32_t planes, uint32_t to, uint32_t words, uint32_t columns,
                                     uint32_t stride, const uint64_t *rowPlanes, const uint64_t *text,
                                     uint64_t *vertical, uint64_t *horizontal) {
#define SWEEP(chains)                                                                                                 \
    NAME(sweep)(planes, chains, used, words, columns, stride, rowPlanes + w, text, vertical + w, horizontal)
    for (uint32_t w = 0, used; w < to; w += used) {
        used = to - w < CHAINS(planes) * LANES ? to - w : CHAINS(planes) * LANES;
        if (used > 3 * LANES)
            SWEEP(4);
        else if (used > 2 * LANES)
            SWEEP(3);
        else if (used > LANES)
            SWEEP(2);
        else
            SWEEP(1);
    }
#undef SWEEP
}

/* A tile, but for the last of its words if that is left alone by sweeps of full vectors: it is done faster without
 * vectors. Answers how many words it did. */
TARGET static uint32_t NAME(tile)(uint32_t to, uint32_t words, uint32_t columns, uint32_t planes,
                                  const uint64_t *rowPlanes, const uint8_t *columnCodes, uint64_t *vertical,
                                  uint64_t *horizontal) {
    uint64_t spread[SPREAD_WORDS]; /* plane p of column c: [p * stride + SPREAD_ENDS + count - 1 - c] */
    const uint32_t chunk = chunkColumns(planes), stride = SPREAD_WORDS / planes;
    to -= to % (CHAINS(planes) * LANES) == 1;
    for (uint32_t first = 0; first < columns && to > 0; first += chunk) {
        const uint32_t count = columns - first < chunk ? columns - first : chunk;
        const uint8_t *codes = columnCodes + first;
        for (uint32_t p = 0; p < planes; p++) {
            uint64_t *lower = spread + p * stride, *upper = lower + SPREAD_ENDS + count;
            memset(lower, 0, sizeof *lower * SPREAD_ENDS);
            memset(upper, 0, sizeof *upper * SPREAD_ENDS);
            uint32_t c = 0;
            for (; c + LANES <= count; c += LANES)
                NAME(store)(upper - c - LANES, NAME(spread)(codes + c, p));
            for (; c < count; c++)
                *(upper - c - 1) = (uint64_t)0 - (codes[c] >> p & 1);
        }

        const uint64_t *text = spread + SPREAD_ENDS + count - 1;
        uint64_t *above = horizontal + first / 64;
        switch (planes) {
        case 1: NAME(rows)(1, to, words, count, stride, rowPlanes, text, vertical, above); break;
        case 2: NAME(rows)(2, to, words, count, stride, rowPlanes, text, vertical, above); break;
        case 3: NAME(rows)(3, to, words, count, stride, rowPlanes, text, vertical, above); break;
        case 4: NAME(rows)(4, to, words, count, stride, rowPlanes, text, vertical, above); break;
        case 5: NAME(rows)(5, to, words, count, stride, rowPlanes, text, vertical, above); break;
        case 6: NAME(rows)(6, to, words, count, stride, rowPlanes, text, vertical, above); break;
        case 7: NAME(rows)(7, to, words, count, stride, rowPlanes, text, vertical, above); break;
        default: NAME(rows)(8, to, words, count, stride, rowPlanes, text, vertical, above); break;
        }
    }
    return to;
}

#undef Vec
#undef Mask
#undef TARGET
#undef NAME
#undef LANES
#undef CHAINS
