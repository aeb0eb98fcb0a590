/*
 * What is loaded, and who holds the lock of the dynamic loader.
 *
 * Which thread holds the lock of the dynamic loader. The constructors and destructors of a library that a program
 * opens or closes by itself run under that lock. While one of them waits in a call of the runtime, no thread can open
 * a library, as OpenCL's drivers do for each kernel. src/engine/state/loader.rs has what follows from that.
 *
 * The loader has no function that tells. So its lock is looked for where glibc keeps it: in _rtld_global, a variable
 * with the loader's state, whose place and size are asked for by name. The lock is a recursive mutex in there, of the
 * type pthread_mutex_t, whose fields the headers of the C library declare. Where there is no such variable, as in a
 * program that is linked with -static, no thread holds the lock, as far as this can tell.
 *
 * Where the C library keeps its last words is found at that time, too.
 *
 * What is loaded at an address is asked for without that lock, which dladdr takes.
 *
 * Which functions of the program stand in the way of the system's (src/link/names.rs).
 *
 * In C, since it needs the fields of pthread_mutex_t.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Where the loader's state begins, and its size in bytes. Written before main, or while the loader holds its lock. */
static const char *state;
static size_t size;

/* Where the C library keeps what it says before it calls abort() itself; NULL where that is not known. */
static const void *whatAbortSays;

const void *ocrWhatAbortSays(void);
const void *ocrWhatAbortSays(void)
{
    return whatAbortSays;
}

/* To look a name up takes the lock, so it is done before anybody has to know. */
__attribute__((constructor(101))) static void findState(void)
{
    whatAbortSays = dlsym(RTLD_DEFAULT, "__abort_msg");
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    const void *found = dlsym(RTLD_DEFAULT, "_rtld_global");
    if (found != NULL && dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL &&
        info.dli_saddr == found) {
        state = found;
        size = symbol->st_size;
    }
}

/* Whether this thread, by the system's number, holds the lock; *isWanted says then whether another thread waits for it.
 * Other threads change what is read here, which the system's functions do by atomic operations, too. */
bool ocrLoaderIsHeldBy(int thread, bool *isWanted);
bool ocrLoaderIsHeldBy(int thread, bool *isWanted)
{
    for (size_t at = 0; at + sizeof(pthread_mutex_t) <= size; at += sizeof(void *)) {
        const pthread_mutex_t *mutex = (const pthread_mutex_t *)(const void *)(state + at);
        if (__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) != thread) {
            continue;
        }
        int lock = __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED);
        int kind = __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
        if ((lock == 1 || lock == 2) && kind == PTHREAD_MUTEX_RECURSIVE && mutex->__data.__count > 0) {
            /* glibc stores 2 where a thread has gone to sleep for the lock. */
            *isWanted = lock == 2;
            return true;
        }
    }
    return false;
}

/* An address that is looked for, and what is found. */
typedef struct {
    uintptr_t address;
    uintptr_t start;
    const char *name;
} search_t;

static int isLoadedHere(struct dl_phdr_info *info, size_t bytes, void *data)
{
    search_t *search = data;
    uintptr_t lowest = UINTPTR_MAX;
    bool isHere = false;
    (void)bytes;
    for (size_t at = 0; at < info->dlpi_phnum; at++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[at];
        if (part->p_type == PT_LOAD) {
            uintptr_t start = info->dlpi_addr + part->p_vaddr;
            lowest = start < lowest ? start : lowest;
            isHere = isHere || (search->address >= start && search->address - start < part->p_memsz);
        }
    }
    if (isHere) {
        search->start = lowest & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
        search->name = info->dlpi_name[0] != '\0' ? info->dlpi_name : program_invocation_name;
    }
    return isHere;
}

/* The name of the file that is loaded at an address, and where it begins; null if there is none. The name stays as
 * long as the file is loaded. */
const char *ocrLoadedAt(uintptr_t address, uintptr_t *start);
const char *ocrLoadedAt(uintptr_t address, uintptr_t *start)
{
    search_t search = {.address = address};
    if (dl_iterate_phdr(isLoadedHere, &search) == 0) {
        return NULL;
    }
    *start = search.start;
    return search.name;
}

/* Where the visibility of a function stands that the program itself has under this name, and that other libraries get
 * in place of the system's. NULL if it has none. */
unsigned char *ocrVisibilityOf(const char *name);
unsigned char *ocrVisibilityOf(const char *name)
{
    Dl_info found, program;
    ElfW(Sym) *symbol = NULL;
    void *function = dlsym(RTLD_DEFAULT, name);
    const void *ofProgram = (const void *)getauxval(AT_PHDR);
    if (function == NULL || dladdr1(function, &found, (void **)&symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL ||
        symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || found.dli_saddr != function ||
        strcmp(found.dli_sname, name) != 0 || dladdr(ofProgram, &program) == 0 ||
        program.dli_fbase != found.dli_fbase) {
        return NULL;
    }
    return &symbol->st_other;
}
