/*
 * While a thread of the program is outside of the runtime no hang is reported, and the picture that SIGUSR1 asks for
 * says so; without one it does not. It shows labels, too: of the EDT that runs, and of a block that is waited for.
 */
// clause: hang
// needs: signals
#include "picture.h"
#include <extensions/ocr-debug.h>
#include <extensions/ocr-runtime-itf.h>

#include <pthread.h>
#include <signal.h>
#include <semaphore.h>

#define FREE "a hang is not reported"

static sem_t end;

static void handled(int number) {
    (void)number;
}

static void *waits(void *unused) {
    CHECK(sem_wait(&end) == 0);
    return unused;
}

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    ocrGuid_t self, block = block_of(8, &address);
    OK(ocrCurrentEdtGet(&self));
    OK(ocrAttachDebugLabel(self, "the one that looks", 0, NULL));
    OK(ocrAttachDebugLabel(block, "what it holds", 0, NULL));
    link_to(block, spawn(function, 0, NULL, 1, NULL), 0, DB_MODE_EW);

    take_picture();
    CHECK(!strstr(content(text_file), FREE));
    has(text_file, "labelled \"the one that looks\", which created it and has not ended");
    has(text_file, "labelled \"what it holds\" (8 bytes) in mode EW");
    has(graph_file, "labelled \\\"what it holds\\\"");
    has(graph_file, "slot 0, EW");

    pthread_t thread;
    OK(sem_init(&end, 0, 0));
    OK(pthread_create(&thread, NULL, waits, NULL));
    take_picture();
    has(text_file, FREE);
    CHECK(!strstr(content(text_file), "handler"));
    signal(SIGTERM, handled);
    take_picture();
    has(text_file, "a hang is not reported, since the program has a handler of SIGTERM");
    signal(SIGTERM, SIG_DFL);
    OK(sem_post(&end));
    OK(pthread_join(thread, NULL));
    forget_picture();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(looks, 0, NULL, 0, NULL);
    return NULL_GUID;
}
