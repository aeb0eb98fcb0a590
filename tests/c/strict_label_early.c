// The same in strict mode, but for what it accuses.
//
// env: OCR_CHECK=strict
#include "label_early.c"
