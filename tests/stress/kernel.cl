/* What an EDT of the stress test does with its blocks; the same as `body` in run.rs. */
static uint mix(uint hash, uint value) {
    uint product = (hash ^ value) * 0x9E3779B1u;
    return product ^ (product >> 15);
}

/* use: the number of words, and above them the bits of op in oracle.rs. */
static uint see(uint hash, ulong use, __global const uint *words) {
    if ((use >> 32) & 1) {
        for (uint i = 0; i < (uint)use; i++) hash = mix(hash, words[i]);
    }
    return hash;
}

static void act(uint hash, ulong use, __global uint *words) {
    uint op = (uint)(use >> 32), count = (uint)use;
    if (op & 16) {
        words[0] += 1;
        words[1] = hash;
        return;
    }
    for (uint i = 0; i < count; i++) {
        if (op & 4) words[i] = words[i] * 5 + mix(hash, i);
        else if (op & 8) words[i] = mix(hash, i);
        else if ((op & 2) && (op & 32)) atomic_add((volatile __global uint *)&words[i], mix(hash, i));
        else if (op & 2) words[i] += mix(hash, i);
    }
}

/* A wrong bit in a block that is written: true if it is there now. harm: see tests/injector/opencl.c. */
static bool spoil(uint harm, ulong use, __global uint *words) {
    uint op = (uint)(use >> 32), count = op & 16 ? 2 : (uint)use;
    if (count == 0 || !(op & (2 | 4 | 8 | 16))) return false;
    words[((harm >> 21) & 31) % count] ^= 1u << ((harm >> 16) & 31);
    return true;
}

__kernel void body(ulong task, ulong first, ulong u0, ulong u1, ulong u2, ulong u3, ulong u4, ulong u5, ulong u6,
                   ulong u7, __global uint *s0, __global uint *s1, __global uint *s2, __global uint *s3,
                   __global uint *s4, __global uint *s5, __global uint *s6, __global uint *s7) {
    uint hash = (uint)first, harm = (uint)(first >> 32);
    for (volatile uint turn = 0; turn < (harm & 0xffff) * 1000; turn++);
    hash = see(hash, u0, s0);
    hash = see(hash, u1, s1);
    hash = see(hash, u2, s2);
    hash = see(hash, u3, s3);
    hash = see(hash, u4, s4);
    hash = see(hash, u5, s5);
    act(hash, u0, s0);
    act(hash, u1, s1);
    act(hash, u2, s2);
    act(hash, u3, s3);
    act(hash, u4, s4);
    act(hash, u5, s5);
    act(hash, u7, s7);
    if (harm >> 31) {
        if (spoil(harm, u0, s0) || spoil(harm, u1, s1) || spoil(harm, u2, s2)) return;
        if (spoil(harm, u3, s3) || spoil(harm, u4, s4) || spoil(harm, u5, s5)) return;
        spoil(harm, u7, s7);
    }
}
