/* For examples/vector-scale.c and examples/vector-scale-variants.c: a work-item scales one element. */
__kernel void vector_scale(uint factor, __global uint *elements) {
    elements[get_global_id(0)] *= factor;
}
