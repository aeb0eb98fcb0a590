/* What can be asked of the host: its name, its number, how many workers it has. Other questions change nothing. */
// clause: ocr-pdl.h
// one-node: the number of the host is that of the node
#include "check.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-pdl.h>
#include <extensions/ocr-runtime-itf.h>

static void ask(ocrGuid_t host) {
    char name[256];
    CHECK_EQ(gethostname(name, sizeof name), 0);
    const char *text = pdlGetDevicePropertyString(host, "hostname");
    CHECK(text != NULL && strcmp(text, name) == 0);
    CHECK(pdlGetDevicePropertyString(host, "hostname") == text);
    CHECK(pdlGetDevicePropertyString(host, "device-name") == NULL);
    CHECK(pdlGetDevicePropertyString(host, "no such thing") == NULL);
    CHECK(pdlGetDevicePropertyString(host, NULL) == NULL);

    u64 value = 77;
    OK(pdlGetDevicePropertyInt(host, "no such thing", &value));
    OK(pdlGetDevicePropertyInt(host, "device-index", &value));
    CHECK_EQ(value, 77);
    OK(pdlGetDevicePropertyInt(host, "node-index", &value));
    CHECK_EQ(value, 0);
    OK(pdlGetDevicePropertyInt(host, "thread-count", &value));
    CHECK_EQ(value, ocrNbWorkers());
    REFUSED(OCR_EINVAL, pdlGetDevicePropertyInt(host, NULL, &value));
    REFUSED(OCR_EINVAL, pdlGetDevicePropertyInt(host, "node-index", NULL));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t host, worker;
    OK(ocrAffinityGetAt(AFFINITY_PD, 0, &host));
    ask(host);
    ask(NULL_GUID);

    u64 value;
    ocrCurrentWorkerGuid(&worker);
    REFUSED(OCR_EINVAL, pdlGetDevicePropertyInt(worker, "node-index", &value));
    REFUSED(OCR_EINVAL, pdlGetDevicePropertyInt(depv[0].guid, "node-index", &value));
    CHECK(pdlGetDevicePropertyString(depv[0].guid, "hostname") == NULL);
    ocrShutdown();
    return NULL_GUID;
}
