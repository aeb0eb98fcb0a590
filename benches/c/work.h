/* Work of a given length that touches no memory: a chain of multiplications, calibrated by the clock. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

static inline uint64_t work(uint64_t steps) {
    uint64_t value = steps | 1;
    for (uint64_t i = 0; i < steps; i++) {
        value *= 6364136223846793005u;
        __asm__ volatile("" : "+r"(value)); /* each step is taken */
    }
    return value;
}

#endif
