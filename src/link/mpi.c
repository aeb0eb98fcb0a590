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
 * Blocks go on a lane of their own, from memory of the program to memory of the program: a message has said what comes.
 * They are in order among each other alone.
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

#define OCR_LINK_VERSION 2

/* What the process is among those that MPI has started. Filled in by `init`. */
typedef struct {
    int32_t node;       /* its number, from 0 */
    int32_t nodes;      /* how many there are */
    int32_t localNode;  /* its number among those of its machine, from 0 */
    int32_t localNodes; /* how many of them are on its machine */
} ocrLinkPlace_t;

enum { OCR_LINK_SENT = 1, OCR_LINK_ARRIVED = 2, OCR_LINK_FAILED = 3, OCR_LINK_TAKEN = 4 };

/* What a send is. */
enum { OCR_LINK_MESSAGE = 0, OCR_LINK_BLOCK = 1 };

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
    /* Begins to send, on a lane. The bytes must stay as they are until `poll` says that they are sent. */
    int (*send)(int32_t node, int32_t lane, const void *at, uint64_t bytes, uint64_t token);
    /* Posts a receive of a message of at most so many bytes, from any process. */
    int (*receive)(void *at, uint64_t bytes, uint64_t token);
    /* Takes the next bytes on the lane of blocks of a process. There must be as many as it sends. */
    int (*take)(int32_t node, void *at, uint64_t bytes, uint64_t token);
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

enum { RECEIVES = 16 };

static MPI_Comm comm = MPI_COMM_NULL;

/* Receives that are posted, the oldest at `first`. */
static MPI_Request ring[RECEIVES];
static uint64_t ringTokens[RECEIVES];
static unsigned first, posted;

/* What is on its way out, and blocks that are taken, in no order. */
static MPI_Request *requests;
static uint64_t *tokens;
static int32_t *nodes;
static bool *areTaken;
static int *done;
static MPI_Status *statuses;
static int requested, room;

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
    if (requested < room) {
        return true;
    }
    requests = grown(requests, (size_t)wanted, sizeof *requests, &isGrown);
    tokens = grown(tokens, (size_t)wanted, sizeof *tokens, &isGrown);
    nodes = grown(nodes, (size_t)wanted, sizeof *nodes, &isGrown);
    areTaken = grown(areTaken, (size_t)wanted, sizeof *areTaken, &isGrown);
    done = grown(done, (size_t)wanted, sizeof *done, &isGrown);
    statuses = grown(statuses, (size_t)wanted, sizeof *statuses, &isGrown);
    room = isGrown ? wanted : room;
    return isGrown;
}

/* Keeps a request that was begun with this code. */
static int keep(int code, int32_t node, uint64_t token, bool isTaken)
{
    if (code == MPI_SUCCESS) {
        tokens[requested] = token;
        nodes[requested] = node;
        areTaken[requested] = isTaken;
        requested++;
    }
    return code;
}

static int beginSend(int32_t node, int32_t lane, const void *at, uint64_t bytes, uint64_t token)
{
    if (bytes > INT_MAX) {
        return TOO_LARGE;
    }
    if (!makeRoom()) {
        return NO_MEMORY;
    }
    return keep(MPI_Isend(at, (int)bytes, MPI_BYTE, node, lane, comm, &requests[requested]), node, token, false);
}

static int takeBlock(int32_t node, void *at, uint64_t bytes, uint64_t token)
{
    if (bytes > INT_MAX) {
        return TOO_LARGE;
    }
    if (!makeRoom()) {
        return NO_MEMORY;
    }
    int code = MPI_Irecv(at, (int)bytes, MPI_BYTE, node, OCR_LINK_BLOCK, comm, &requests[requested]);
    return keep(code, node, token, true);
}

static int postReceive(void *at, uint64_t bytes, uint64_t token)
{
    if (bytes > INT_MAX || posted == RECEIVES) {
        return TOO_LARGE;
    }
    unsigned last = (first + posted) % RECEIVES;
    int code = MPI_Irecv(at, (int)bytes, MPI_BYTE, MPI_ANY_SOURCE, OCR_LINK_MESSAGE, comm, &ring[last]);
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

static int32_t pollRequests(ocrLinkEvent_t *events, int32_t most)
{
    static int from = 0;
    int count = 0;
    /* Where `events` has no room for all of them, a part is asked for, and a later call asks for another: the first may
       be for a process that takes nothing. */
    const int begin = from < requested ? from : 0;
    int asked = requested - begin < most ? requested - begin : most;
    if (asked <= 0) {
        return 0;
    }
    int code = MPI_Testsome(asked, requests + begin, &count, done, statuses);
    from = begin + asked;
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
        /* What has become of them is not known, and MPI would fail so at each call: the failure is reported once. */
        requested = 0;
        events[0] = (ocrLinkEvent_t){.kind = OCR_LINK_FAILED, .node = -1};
        return 1;
    }
    if (count == MPI_UNDEFINED) {
        return 0;
    }
    for (int at = 0; at < count; at++) {
        int which = begin + done[at];
        bool isFailed = code == MPI_ERR_IN_STATUS && statuses[at].MPI_ERROR != MPI_SUCCESS;
        int kind = areTaken[which] ? OCR_LINK_TAKEN : OCR_LINK_SENT;
        events[at] = (ocrLinkEvent_t){.kind = isFailed ? OCR_LINK_FAILED : kind,
                                      .node = nodes[which],
                                      .token = tokens[which]};
        nodes[which] = -1;
    }
    /* Closes the gaps. */
    int kept = 0;
    for (int at = 0; at < requested; at++) {
        if (nodes[at] >= 0) {
            requests[kept] = requests[at];
            tokens[kept] = tokens[at];
            nodes[kept] = nodes[at];
            areTaken[kept] = areTaken[at];
            kept++;
        }
    }
    requested = kept;
    return count;
}

static int32_t pollAll(ocrLinkEvent_t *events, int32_t most)
{
    int32_t found = pollReceives(events, most);
    return found + pollRequests(events + found, most - found);
}

static void endAll(int32_t status) { MPI_Abort(comm, status); }

static int end(void)
{
    /* A receive that is cancelled is over without a message, whatever other processes do. */
    for (; posted > 0; posted--, first = (first + 1) % RECEIVES) {
        MPI_Cancel(&ring[first]);
        MPI_Request_free(&ring[first]);
    }
    for (int at = 0; at < requested; at++) {
        if (areTaken[at]) {
            MPI_Cancel(&requests[at]);
            MPI_Request_free(&requests[at]);
        }
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
    .take = takeBlock,
    .poll = pollAll,
    .abort = endAll,
    .end = end,
    .words = words,
};
