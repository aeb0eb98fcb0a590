/*
 * ocrLegacyIsChannelReady: whether a dependence that is added now would be served at once. Not so before a
 * satisfaction, nor while dependences wait for one, nor of what is no channel.
 */
// clause: ocr-legacy.h
#include "check.h"

#include <extensions/ocr-legacy.h>

int main(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    ocrGuid_t context, channel, sink;
    ocrLegacyInit(&context, &config);
    sink = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params));
    CHECK(!ocrLegacyIsChannelReady(channel));
    OK(ocrEventSatisfy(channel, block_with(1)));
    CHECK(ocrLegacyIsChannelReady(channel));
    link_to(channel, sink, 0, DB_MODE_NULL);
    CHECK(!ocrLegacyIsChannelReady(channel));
    link_to(channel, event_of(OCR_EVENT_STICKY_T), 0, DB_MODE_NULL);
    CHECK(!ocrLegacyIsChannelReady(channel));
    CHECK(!ocrLegacyIsChannelReady(sink));
    CHECK(!ocrLegacyIsChannelReady(NULL_GUID));
    OK(ocrLegacyBlockProgress(sink, NULL, NULL, NULL, LEGACY_PROP_NONE));
    CHECK_EQ(ocrLegacyFinalize(context, false), 0);
    CHECK(!ocrLegacyIsChannelReady(channel));
    return 0;
}
