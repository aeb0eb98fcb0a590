/* The same in C++, where the functions are overloaded. */
// clause: B.1.3 B.1.5
#include "hint_signed.c"
