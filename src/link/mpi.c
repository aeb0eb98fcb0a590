/*
 * The plug-in by which the runtime speaks MPI. `src/link/plugin.rs` loads it at run time and calls what the table at
 * the end names. The compiler of each MPI makes a plug-in of this one file (`make mpi-plugin MPICC=mpicc`), and nothing
 * else of the runtime is linked with an MPI.
 *
 * One thread makes all calls of the table: the one that has called `init`. After `init` and before `end`, no call waits
 * for another process: each begins a request, or asks which of them are done.
 *
 * Messages carry bytes alone. What one process sends to another arrives in the order in which it was sent. MPI matches
 * the messages of a pair with posted receives in the order in which both were begun, but may complete two receives in
 * any order. So receives are a ring here, and `poll` reports the oldest of them first.
 *
 * `OCR_LINK_VERSION` changes with the table: the runtime refuses a plug-in that has another one.
 */
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCR_LINK_VERSION 1

/* What the process is among those that MPI has started. Filled in by `init`. */
typedef struct {
    int32_t node;       /* its number, from 0 */
    int32_t nodes;      /* how many there are */
    int32_t localNode;  /* its number among those of its machine, from 0 */
    int32_t localNodes; /* how many of them are on its machine */
} ocrLinkPlace_t;

enum { OCR_LINK_SENT = 1, OCR_LINK_ARRIVED = 2, OCR_LINK_FAILED = 3 };

/* What has happened to a request. */
typedef struct {
    int32_t kind;
    int32_t node;   /* of the other process; -1 where MPI has not said which */
    uint64_t bytes; /* of a message that has arrived */
    uint64_t token; /* by which the caller knows the request */
} ocrLinkEvent_t;

/* A function that returns an `int` returns 0, or what `words` has words for. */
typedef struct {
    uint32_t version;
    uint32_t size;         /* of this table, in bytes */
    const char *interface; /* the MPI that the plug-in was compiled for */
    int (*init)(ocrLinkPlace_t *place);
    /* The library that is loaded, in its own words. After `init`. */
    const char *(*library)(void);
    /* Begins to send. The bytes must stay as they are until `poll` says that they are sent. */
    int (*send)(int32_t node, const void *at, uint64_t bytes, uint64_t token);
    /* Posts a receive of a message of at most so many bytes, from any process. */
    int (*receive)(void *at, uint64_t bytes, uint64_t token);
    /* Writes what has happened since, at most so many events, and returns how many. Never waits. */
    int32_t (*poll)(ocrLinkEvent_t *events, int32_t most);
    /* Ends all processes. Returns only if MPI cannot. After `init`. */
    void (*abort)(int32_t status);
    /* Ends MPI. May wait for the other processes, which must do the same. After `init`; nothing is called behind it. */
    int (*end)(void);
    const char *(*words)(int code);
} ocrLink_t;

/* Errors of this file; those of MPI are not below 0. */
enum { IS_BEGUN = -1, NO_MEMORY = -2, TOO_LARGE = -3, MPI_IS_OVER = -4 };

enum { TAG = 0, RECEIVES = 16 };

static MPI_Comm comm = MPI_COMM_NULL;

/* Receives that are posted, the oldest at `first`. */
static MPI_Request ring[RECEIVES];
static uint64_t ringTokens[RECEIVES];
static unsigned first, posted;

/* Messages that are on their way out, in no order. */
static MPI_Request *sends;
static uint64_t *sendTokens;
static int32_t *sendNodes;
static int *done;
static MPI_Status *statuses;
static int sending, room;

/* The words of the last error. */
static char text[MPI_MAX_ERROR_STRING + 64];

static const char *words(int code)
{
    switch (code) {
    case IS_BEGUN:
        return "the program has begun MPI itself, and the runtime begins and ends it; run the program with OCR_NODES=1";
    case NO_MEMORY:
        return "there is no memory for another request";
    case TOO_LARGE:
        return "a message is larger than MPI can count";
    case MPI_IS_OVER:
        return "the program has ended MPI (MPI_Finalize) before";
    default: {
        int length = 0;
        if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
            snprintf(text, sizeof text, "MPI's error %d", code);
        }
        return text;
    }
    }
}

static int joinWorld(ocrLinkPlace_t *place)
{
    MPI_Comm machine = MPI_COMM_NULL;
    int code = MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    /* From here on errors are returned. */
    code = code != MPI_SUCCESS ? code : MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    code = code != MPI_SUCCESS ? code : MPI_Comm_rank(comm, &place->node);
    code = code != MPI_SUCCESS ? code : MPI_Comm_size(comm, &place->nodes);
    code = code != MPI_SUCCESS ? code
                               : MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (code != MPI_SUCCESS) {
        return code;
    }
    code = MPI_Comm_rank(machine, &place->localNode);
    code = code != MPI_SUCCESS ? code : MPI_Comm_size(machine, &place->localNodes);
    MPI_Comm_free(&machine);
    return code;
}

static int init(ocrLinkPlace_t *place)
{
    int isBegun = 0, isOver = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&isBegun);
    MPI_Finalized(&isOver);
    if (isOver) {
        return MPI_IS_OVER;
    }
    if (isBegun) {
        /* The program would end MPI in `main`, before this node has told the others of the end. */
        return IS_BEGUN;
    }
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    return code != MPI_SUCCESS ? code : joinWorld(place);
}

static const char *library(void)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    /* Some tell how they were compiled, on lines that follow. */
    version[strcspn(version, "\n")] = '\0';
    return version;
}

static void *grown(void *at, size_t elements, size_t size, bool *isGrown)
{
    void *larger = realloc(at, elements * size);
    *isGrown = *isGrown && larger != NULL;
    return larger != NULL ? larger : at;
}

static bool makeRoom(void)
{
    int wanted = room == 0 ? 64 : 2 * room;
    bool isGrown = true;
    if (sending < room) {
        return true;
    }
    sends = grown(sends, (size_t)wanted, sizeof *sends, &isGrown);
    sendTokens = grown(sendTokens, (size_t)wanted, sizeof *sendTokens, &isGrown);
    sendNodes = grown(sendNodes, (size_t)wanted, sizeof *sendNodes, &isGrown);
    done = grown(done, (size_t)wanted, sizeof *done, &isGrown);
    statuses = grown(statuses, (size_t)wanted, sizeof *statuses, &isGrown);
    room = isGrown ? wanted : room;
    return isGrown;
}

static int beginSend(int32_t node, const void *at, uint64_t bytes, uint64_t token)
{
    if (bytes > INT_MAX) {
        return TOO_LARGE;
    }
    if (!makeRoom()) {
        return NO_MEMORY;
    }
    int code = MPI_Isend(at, (int)bytes, MPI_BYTE, node, TAG, comm, &sends[sending]);
    if (code == MPI_SUCCESS) {
        sendTokens[sending] = token;
        sendNodes[sending] = node;
        sending++;
    }
    return code;
}

static int postReceive(void *at, uint64_t bytes, uint64_t token)
{
    if (bytes > INT_MAX || posted == RECEIVES) {
        return TOO_LARGE;
    }
    unsigned last = (first + posted) % RECEIVES;
    int code = MPI_Irecv(at, (int)bytes, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &ring[last]);
    if (code == MPI_SUCCESS) {
        ringTokens[last] = token;
        posted++;
    }
    return code;
}

static int32_t pollReceives(ocrLinkEvent_t *events, int32_t most)
{
    int32_t found = 0;
    while (found < most && posted > 0) {
        MPI_Status status;
        int isDone = 0, bytes = 0;
        int code = MPI_Test(&ring[first], &isDone, &status);
        if (code == MPI_SUCCESS && !isDone) {
            break;
        }
        ocrLinkEvent_t *event = &events[found++];
        *event = (ocrLinkEvent_t){.kind = OCR_LINK_FAILED, .node = -1, .token = ringTokens[first]};
        if (code == MPI_SUCCESS && MPI_Get_count(&status, MPI_BYTE, &bytes) == MPI_SUCCESS) {
            event->kind = OCR_LINK_ARRIVED;
            event->node = status.MPI_SOURCE;
            event->bytes = (uint64_t)bytes;
        }
        first = (first + 1) % RECEIVES;
        posted--;
    }
    return found;
}

static int32_t pollSends(ocrLinkEvent_t *events, int32_t most)
{
    int count = 0;
    /* Where `events` has no room for all messages, only the first are asked for: a later call reports the others. */
    int asked = sending < most ? sending : most;
    if (asked <= 0) {
        return 0;
    }
    int code = MPI_Testsome(asked, sends, &count, done, statuses);
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
        /* What has become of them is not known, and MPI would fail so at each call: the failure is reported once. */
        sending = 0;
        events[0] = (ocrLinkEvent_t){.kind = OCR_LINK_FAILED, .node = -1};
        return 1;
    }
    if (count == MPI_UNDEFINED) {
        return 0;
    }
    for (int at = 0; at < count; at++) {
        int which = done[at];
        bool isFailed = code == MPI_ERR_IN_STATUS && statuses[at].MPI_ERROR != MPI_SUCCESS;
        events[at] = (ocrLinkEvent_t){.kind = isFailed ? OCR_LINK_FAILED : OCR_LINK_SENT,
                                      .node = sendNodes[which],
                                      .token = sendTokens[which]};
        sendNodes[which] = -1;
    }
    /* Closes the gaps. */
    int kept = 0;
    for (int at = 0; at < sending; at++) {
        if (sendNodes[at] >= 0) {
            sends[kept] = sends[at];
            sendTokens[kept] = sendTokens[at];
            sendNodes[kept] = sendNodes[at];
            kept++;
        }
    }
    sending = kept;
    return count;
}

static int32_t pollAll(ocrLinkEvent_t *events, int32_t most)
{
    int32_t found = pollReceives(events, most);
    return found + pollSends(events + found, most - found);
}

static void endAll(int32_t status) { MPI_Abort(comm, status); }

static int end(void)
{
    /* A receive that is cancelled is over without a message, whatever other processes do. */
    for (; posted > 0; posted--, first = (first + 1) % RECEIVES) {
        MPI_Cancel(&ring[first]);
        MPI_Request_free(&ring[first]);
    }
    MPI_Comm_free(&comm);
    return MPI_Finalize();
}

#if defined(OPEN_MPI)
#define INTERFACE "Open MPI"
#elif defined(MPICH_VERSION) || defined(MPICH)
#define INTERFACE "MPICH"
#else
#define INTERFACE "MPI"
#endif

extern const ocrLink_t ocrLink;
__attribute__((visibility("default"))) const ocrLink_t ocrLink = {
    .version = OCR_LINK_VERSION,
    .size = sizeof(ocrLink_t),
    .interface = INTERFACE,
    .init = init,
    .library = library,
    .send = beginSend,
    .receive = postReceive,
    .poll = pollAll,
    .abort = endAll,
    .end = end,
    .words = words,
};
