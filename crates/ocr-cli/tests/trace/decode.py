"""Reads a file of Perfetto's with Perfetto's own schema (PyPI `perfetto`), and says as JSON what is in it.

Ends with status 77 where the schema is not there, and with 1 and a sentence where the file is not as it should be: a
field that the schema does not have, a name that was not given, slices of a track that overlap, an arrow without two ends.
"""

import json
import sys
from collections import Counter, defaultdict

try:
    from google.protobuf.unknown_fields import UnknownFieldSet
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent
except ImportError as missing:
    print(f"Perfetto's schema is not there: {missing}", file=sys.stderr)
    sys.exit(77)


def fail(why):
    sys.exit(f"{sys.argv[1]}: {why}")


def check_known(message):
    """Looks for fields that the schema does not have."""
    if len(UnknownFieldSet(message)) != 0:
        fail(f"a field of {message.DESCRIPTOR.name} is not in the schema")
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for inner in value if hasattr(value, "__len__") else [value]:
            check_known(inner)


trace = Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())

names, details = {}, {}
tracks, parents = {}, {}
open_slices, last = {}, defaultdict(int)
slices, counters, values = Counter(), Counter(), defaultdict(list)
arrows = defaultdict(list)
annotations = Counter()
for number, packet in enumerate(trace.packet):
    check_known(packet)
    cleared = packet.sequence_flags & TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    if bool(cleared) != (number == 0):
        fail(f"packet {number} has the flags {packet.sequence_flags}")
    names.update((name.iid, name.name) for name in packet.interned_data.event_names)
    details.update((name.iid, name.name) for name in packet.interned_data.debug_annotation_names)
    if packet.HasField("track_descriptor"):
        descriptor = packet.track_descriptor
        process = descriptor.process.process_name if descriptor.HasField("process") else None
        tracks[descriptor.uuid] = process or descriptor.name
        if descriptor.HasField("parent_uuid"):
            if descriptor.parent_uuid not in tracks:
                fail(f"the track {descriptor.name} is below one that is not there yet")
            parents[descriptor.uuid] = descriptor.parent_uuid
        if descriptor.HasField("counter"):
            counters[descriptor.name] += 0
        continue
    event, at = packet.track_event, packet.timestamp
    track = event.track_uuid
    if track not in tracks:
        fail(f"an event is on the track {track}, which is not there yet")
    if at < last[track]:
        fail(f"on {tracks[track]}, an event of {at} comes behind one of {last[track]}")
    last[track] = at
    if event.type == TrackEvent.TYPE_SLICE_BEGIN:
        if track in open_slices:
            fail(f"on {tracks[track]}, slices overlap at {at}")
        open_slices[track] = names[event.name_iid]
        annotations.update(details[one.name_iid] for one in event.debug_annotations)
        for flow in event.flow_ids:
            arrows[flow].append((at, "from"))
        for flow in event.terminating_flow_ids:
            arrows[flow].append((at, "to"))
    elif event.type == TrackEvent.TYPE_SLICE_END:
        if track not in open_slices:
            fail(f"on {tracks[track]}, a slice ends at {at} that has not begun")
        slices[open_slices.pop(track)] += 1
    elif event.type == TrackEvent.TYPE_COUNTER:
        counters[tracks[track]] += 1
        values[tracks[track]].append(event.counter_value)
    else:
        fail(f"an event of type {event.type}")
if open_slices:
    fail(f"slices do not end: {open_slices}")
for flow, ends in arrows.items():
    if sorted(end for _, end in ends) != ["from", "to"]:
        fail(f"the arrow {flow} has the ends {ends}")
    if dict((end, at) for at, end in ends)["from"] > dict((end, at) for at, end in ends)["to"]:
        fail(f"the arrow {flow} leads back in time")

print(
    json.dumps(
        {
            "packets": len(trace.packet),
            "tracks": {name: tracks.get(parents.get(uuid)) for uuid, name in tracks.items()},
            "slices": slices,
            "annotations": annotations,
            "arrows": len(arrows),
            "counters": counters,
            "most": {name: max(all_values) for name, all_values in values.items()},
        }
    )
)
