/* A number of parameters and none given. */
// clause: 2.7.3
// status: nonzero
// stderr: no EDT was created, in EDT 0x
// stderr: the program hangs
// needs: halt
#define OF_TEMPLATE 2
#define OF_EDT 2
#define PARAMV NULL
#include "edt_paramc_wrong.h"
