/* Parameters for an EDT that has none. */
// clause: 2.7.3
// status: nonzero
// stderr: no EDT was created, in EDT 0x
// stderr: the program hangs
// needs: halt
#define OF_TEMPLATE 0
#define OF_EDT 0
#define PARAMV params
#include "edt_paramc_wrong.h"
