/*
 * What tests/nodes.rs has loaded before all else: messages from node 0 to node 1 leave some milliseconds late, in their
 * order. Those to other nodes overtake them.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const double LATE_S = 0.005;

/* A message that is late, with its own copy of the bytes. */
struct held {
    struct held *next;
    double due;
    int count, tag;
    MPI_Comm comm;
    char bytes[];
};

static struct held *first, **end = &first;

static void sendThose(double before)
{
    while (first != NULL && first->due <= before) {
        struct held *held = first;
        MPI_Request request;
        PMPI_Isend(held->bytes, held->count, MPI_BYTE, 1, held->tag, held->comm, &request);
        /* MPI reads the bytes until the message is sent: they stay. */
        PMPI_Request_free(&request);
        first = held->next;
        end = first == NULL ? &first : end;
    }
}

static int query(void *unused, MPI_Status *status)
{
    (void)unused;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int nothing(void *unused)
{
    (void)unused;
    return MPI_SUCCESS;
}

static int noCancel(void *unused, int isDone)
{
    (void)unused, (void)isDone;
    return MPI_SUCCESS;
}

int MPI_Isend(const void *at, int count, MPI_Datatype type, int node, int tag, MPI_Comm comm, MPI_Request *request)
{
    int here = 0;
    MPI_Comm_rank(comm, &here);
    if (here != 0 || node != 1) {
        return PMPI_Isend(at, count, type, node, tag, comm, request);
    }
    struct held *held = malloc(sizeof *held + (size_t)count);
    if (held == NULL) {
        return MPI_ERR_OTHER;
    }
    *held = (struct held){.due = MPI_Wtime() + LATE_S, .count = count, .tag = tag, .comm = comm};
    memcpy(held->bytes, at, (size_t)count);
    *end = held;
    end = &held->next;
    /* The sender sees a message that is sent. */
    int code = MPI_Grequest_start(query, nothing, noCancel, NULL, request);
    return code != MPI_SUCCESS ? code : MPI_Grequest_complete(*request);
}

int MPI_Test(MPI_Request *request, int *isDone, MPI_Status *status)
{
    sendThose(MPI_Wtime());
    return PMPI_Test(request, isDone, status);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    sendThose(MPI_Wtime() + LATE_S);
    return PMPI_Comm_free(comm);
}
