// The same on a device without threads of its own: PoCL's executes kernels on the thread that enqueues.
//
// clause: ocr-variants.h
// env: POCL_DEVICES=basic
// needs: opencl
#include "kernel_many.c"
