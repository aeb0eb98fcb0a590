/* What an EDT of variants.c and a task of starpu-variants.c do: a chain of multiplications on a block of two numbers.
 * As a function and as a kernel of one work-item, with the given number of steps each; either counts itself in the
 * second number.
 */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <stdint.h>

enum { VARIANTS_NUMBERS = 2 };

static const char variantsSource[] =
    "__kernel void compute(ulong f, ulong steps, __global ulong *x) {\n"
    "    ulong v = x[0];\n"
    "    for (ulong i = 0; i < steps; i++)\n"
    "        v = v * 6364136223846793005UL + 1442695040888963407UL;\n"
    "    x[0] = v;\n"
    "    x[1] += 1;\n"
    "}\n";

static inline void variantsFunction(uint64_t *x, uint64_t steps) {
    uint64_t v = x[0];
    for (uint64_t i = 0; i < steps; i++)
        v = v * 6364136223846793005 + 1442695040888963407;
    x[0] = v;
    x[1] += 1;
}

#endif
