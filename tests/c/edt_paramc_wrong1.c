/* Parameters for an EDT whose template has none. */
// status: nonzero
// stderr: ocrEdtCreate: no EDT was created
// stderr: the program hangs
// needs: halt
#define OF_TEMPLATE 0
#define OF_EDT EDT_PARAM_DEF
#define PARAMV params
#include "edt_paramc_wrong.h"
