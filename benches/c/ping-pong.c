/* What MPI alone takes: a message of so many bytes goes to and fro between two processes, N times. Prints `ns`, one
 * way. With N = 0 the program begins and ends MPI. */
#define _POSIX_C_SOURCE 200809L

#include "clock.h"

#include <mpi.h>

int main(int argc, char **argv) {
    const long times = argc > 1 ? atol(argv[1]) : 1000, bytes = argc > 2 ? atol(argv[2]) : 64;
    char *message = calloc((size_t)bytes + 1, 1);
    int rank, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    double begun = 0;
    /* The first tenth is not counted. */
    for (long i = -times / 10; i < times; i++) {
        if (i == 0)
            begun = now();
        for (int turn = 0; turn < 2; turn++) {
            if (turn == rank)
                MPI_Send(message, (int)bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(message, (int)bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (rank == 0 && times > 0)
        printf("ns: %.9g\n", (now() - begun) / (2.0 * (double)times));
    MPI_Finalize();
    free(message);
    return 0;
}
