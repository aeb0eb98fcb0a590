/* kernel_copy_leaves.h: On a device that shares the memory of the host. */
// needs: opencl
#include "kernel_copy_leaves.h"
