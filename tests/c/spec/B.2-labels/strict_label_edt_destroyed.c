// The same in strict mode, which accuses nothing.
//
// clause: B.2.3
// env: OCR_CHECK=strict
#include "label_edt_destroyed.c"
