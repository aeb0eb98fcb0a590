/* A library of OpenCL, the system's behind it, that sets a variable by which OpenCL chooses devices, as loaders do:
 * with PoCL 5, OCL_ICD_FILENAMES is set in every process that asks for devices. It is compiled with
 * -l:libOpenCL.so.1. */
#include <stdlib.h>

__attribute__((constructor)) static void changeVariables(void) {
    setenv("OCL_ICD_FILENAMES", "libpocl.so.2", 1);
}
