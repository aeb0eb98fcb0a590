/* Opens the library that its argument names; calls its function if RUN_IN says so, and closes it if CLOSE is set. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        puts(dlerror());
        return 2;
    }
    const char *all = getenv("RUN_IN");
    if (all != NULL && strstr(all, "function") != NULL) {
        void (*run)(void);
        *(void **)&run = dlsym(library, "run");
        run();
    }
    if (getenv("CLOSE") != NULL && dlclose(library) != 0)
        return 3;
    puts("ends");
    return 0;
}
