// The same in strict mode, which accuses nothing.
//
// env: OCR_CHECK=strict
#include "label_edt_destroyed.c"
