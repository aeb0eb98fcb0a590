// The same in strict mode, but for what it accuses.
//
// clause: B.2.3
// env: OCR_CHECK=strict
#include "label_early.c"
