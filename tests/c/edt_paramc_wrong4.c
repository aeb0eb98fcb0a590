/* A number of parameters that is not the template's. */
// status: nonzero
// stderr: ocrEdtCreate: no EDT was created
// stderr: the program hangs
// needs: halt
#define OF_TEMPLATE 2
#define OF_EDT 1
#define PARAMV params
#include "edt_paramc_wrong.h"
