/* The same in C++, where the functions are overloaded. */
#include "hint_signed.c"
