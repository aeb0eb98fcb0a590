// A program all of whose threads wait without a limit of time is not accused where something else may wake one:
// a handler of a signal, or another process.
//
// clause: hang
// workers: 1 2
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

static sem_t rung;
static sem_t *shared;
static ocrGuid_t event;

static void ring(int signal)
{
    (void)signal;
    sem_post(&rung);
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        ;
}

static void *wait_for_both(void *unused)
{
    // Threads that seem to hang are looked at once a second.
    struct itimerval once = {.it_value = {.tv_sec = 2, .tv_usec = 200000}};
    // Of the signal, while only its handler can bring anything; then of the process.
    signal(SIGALRM, ring);
    CHECK_EQ(setitimer(ITIMER_REAL, &once, NULL), 0);
    wait_for(&rung);
    signal(SIGALRM, SIG_DFL);
    sem_post(&shared[0]);
    wait_for(&shared[1]);
    OK(ocrEventSatisfy(event, NULL_GUID));
    return unused;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    size_t size = 2 * sizeof(sem_t);
    shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    CHECK_EQ(sem_init(&rung, 0, 0), 0);
    CHECK_EQ(sem_init(&shared[0], 1, 0), 0);
    CHECK_EQ(sem_init(&shared[1], 1, 0), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        wait_for(&shared[0]);
        usleep(2200000);
        sem_post(&shared[1]);
        _exit(0);
    }
    event = event_of(OCR_EVENT_STICKY_T);
    spawn(end_edt, 0, NULL, 1, &event);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, wait_for_both, NULL), 0);
    CHECK_EQ(pthread_detach(thread), 0);
    return NULL_GUID;
}
