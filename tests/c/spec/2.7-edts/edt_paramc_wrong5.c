/* EDT_PARAM_DEF, with a template that leaves the number open. */
// clause: 2.7.3
// status: nonzero
// stderr: no EDT was created, in EDT 0x
// stderr: the program hangs
// needs: halt
#define OF_TEMPLATE EDT_PARAM_UNK
#define OF_EDT EDT_PARAM_DEF
#define PARAMV params
#include "edt_paramc_wrong.h"
