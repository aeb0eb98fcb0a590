/* What hello.c is measured against: a process that prints a line. */
#include <stdio.h>

int main(void) {
    puts("hello: 1");
    return 0;
}
