/* The two phases of examples/seismic.c as kernels. What the arguments hold is told in examples/common/wave.h.
 *
 * Each phase has two forms. On a CPU device one work-item computes the band, by loops that compilers make vectors of:
 * several bands run at once, one on each core, and a kernel that many threads share costs more to start and to end
 * than a band is worth. On a GPU (any; tuned for none) a work-item computes one cell: neighbouring work-items touch
 * neighbouring numbers of every array, so their accesses coalesce. Work-groups are one row high, and use no local
 * memory: of each number that a phase reads, all but one or two are read by one work-item alone. What limits both
 * forms is memory, not arithmetic.
 *
 * In a phase no cell reads what another one writes. The last two pre-slots of an EDT are control dependences and
 * carry no data; the kernels do not name them. */

/* The same roundings as in C: a * b + c in one step would round once where C rounds twice. */
#pragma OPENCL FP_CONTRACT OFF

#ifndef OCR_DEVICE_GPU

__kernel void seismic_stress_cpu(uint stride, uint width, uint rows, __global float *restrict fields,
                                 __global const float *restrict ground, __global const float *restrict below,
                                 __global float *restrict lowest) {
    const uint plane = rows * stride;
    for (uint row = 0; row < rows; row++) {
        __global float *v = fields + row * stride, *s = v + plane, *t = s + plane;
        __global const float *modulus = ground + row * stride, *next = row + 1 < rows ? v + stride : below;
        for (uint i = 0; i < width; i++) {
            s[i] += modulus[i] * (v[i + 1] - v[i]);
            t[i] += modulus[i] * (next[i] - v[i]);
        }
    }
    for (uint i = 0; i < width; i++)
        lowest[i] = fields[3 * plane - stride + i];
}

__kernel void seismic_velocity_cpu(uint stride, uint width, uint rows, uint source, float pulse,
                                   __global float *restrict fields, __global const float *restrict ground,
                                   __global const float *restrict above, __global float *restrict highest) {
    const uint plane = rows * stride;
    for (uint row = 0; row < rows; row++) {
        __global float *v = fields + row * stride;
        __global const float *s = v + plane, *t = s + plane, *last = row > 0 ? t - stride : above;
        __global const float *buoyancy = ground + plane + row * stride, *damping = buoyancy + plane;
        for (uint i = 0; i < width; i++)
            v[i] = damping[i] * (v[i] + buoyancy[i] * (s[i] - s[(int)i - 1] + t[i] - last[i]));
    }
    if (source < plane)
        fields[source] += pulse;
    for (uint i = 0; i < width; i++)
        highest[i] = fields[i];
}

#endif

#ifndef OCR_DEVICE_CPU

__kernel void seismic_stress_gpu(uint stride, uint width, uint rows, __global float *restrict fields,
                                 __global const float *restrict ground, __global const float *restrict below,
                                 __global float *restrict lowest) {
    const uint column = (uint)get_global_id(0), row = (uint)get_global_id(1);
    if (column >= width)
        return; /* the index space is rounded up to whole work-groups */
    const uint plane = rows * stride, at = row * stride + column;
    __global const float *v = fields;
    __global float *s = fields + plane, *t = s + plane;
    const float modulus = ground[at], here = v[at];
    const float down = row + 1 < rows ? v[at + stride] : below[column];
    const float stress = t[at] + modulus * (down - here);
    s[at] += modulus * (v[at + 1] - here);
    t[at] = stress;
    if (row + 1 == rows)
        lowest[column] = stress;
}

__kernel void seismic_velocity_gpu(uint stride, uint width, uint rows, uint source, float pulse,
                                   __global float *restrict fields, __global const float *restrict ground,
                                   __global const float *restrict above, __global float *restrict highest) {
    const uint column = (uint)get_global_id(0), row = (uint)get_global_id(1);
    if (column >= width)
        return;
    const uint plane = rows * stride, at = row * stride + column;
    __global const float *s = fields + plane, *t = s + plane;
    const float buoyancy = ground[plane + at], damping = ground[2 * plane + at];
    const float up = row > 0 ? t[at - stride] : above[column];
    float velocity = damping * (fields[at] + buoyancy * (s[at] - s[(int)at - 1] + t[at] - up));
    if (at == source)
        velocity += pulse;
    fields[at] = velocity;
    if (row == 0)
        highest[column] = velocity;
}

#endif
