//! A run as packets of Perfetto (`perfetto_trace.proto`). A file is a sequence of packets, so a viewer reads a file
//! that is cut off up to the cut.
//!
//! The constants of this file are numbers of fields and of values in that schema, but for the numbers of tracks.

use super::protobuf::ProtobufMessage;
use super::{Picture, Slice, ViewerTrack};
use std::collections::HashMap;
use std::io::{self, Write};

/// The field `packet` of `Trace`.
const PACKET: u32 = 1;
/// The time of a packet. This and the following are fields of `TracePacket`.
const TIMESTAMP: u32 = 8;
const SEQUENCE: u32 = 10;
const TRACK_EVENT: u32 = 11;
const INTERNED: u32 = 12;
const FLAGS: u32 = 13;
const DESCRIPTOR: u32 = 60;
/// A value of `FLAGS`: the numbers of names begin anew.
const CLEARED: u64 = 1;
/// A value of `FLAGS`: names that came in earlier packets are needed.
const NEEDED: u64 = 2;
/// The number of a track. This and the following are fields of `TrackDescriptor`.
const UUID: u32 = 1;
const NAME: u32 = 2;
const PROCESS: u32 = 3;
const PARENT: u32 = 5;
const COUNTER: u32 = 8;
/// A detail of a slice. This and the following are fields of `TrackEvent`.
const ANNOTATION: u32 = 4;
const TYPE: u32 = 9;
const NAME_IID: u32 = 10;
const TRACK: u32 = 11;
const VALUE: u32 = 30;
const FLOW: u32 = 47;
const LAST_FLOW: u32 = 48;
/// A value of `TYPE`: a slice begins.
const BEGIN: u64 = 1;
/// A value of `TYPE`: a slice ends.
const END: u64 = 2;
/// A value of `TYPE`: the value of a counter.
const COUNTED: u64 = 4;

/// The number of the process's track.
const PROGRAM: u64 = 1;
/// The number of a device's track is this and the number of the device's place.
const DEVICES: u64 = 0x100;
/// The numbers of the tracks of lanes begin here.
const LANES: u64 = 0x1_0000;
/// The numbers of the tracks of counters begin here.
const COUNTERS: u64 = 0x100_0000;

/// Writes packets, and remembers which names have numbers.
struct PacketWriter<'a, W> {
    out: &'a mut W,
    /// The numbers of the names of slices that have been written.
    names: HashMap<String, u64>,
    /// The numbers of the names of details that have been written.
    annotations: HashMap<&'static str, u64>,
    /// Whether a packet has been written.
    is_begun: bool,
}

impl<W: Write> PacketWriter<'_, W> {
    /// Writes a packet, to which the fields are added that all have.
    fn packet(&mut self, packet: &mut ProtobufMessage) -> io::Result<()> {
        packet.number(SEQUENCE, 1);
        let flags = if self.is_begun { NEEDED } else { CLEARED };
        self.is_begun = true;
        packet.number(FLAGS, flags);
        let mut file = ProtobufMessage::new();
        file.message(PACKET, packet);
        self.out.write_all(file.bytes())
    }

    /// Writes the description of a track, which `fill` completes.
    fn describe(&mut self, uuid: u64, fill: impl FnOnce(&mut ProtobufMessage)) -> io::Result<()> {
        let mut descriptor = ProtobufMessage::new();
        descriptor.number(UUID, uuid);
        fill(&mut descriptor);
        self.packet(ProtobufMessage::new().message(DESCRIPTOR, &descriptor))
    }

    /// The number of a slice's name. A new name is added to `interned`, the names that the packet defines.
    fn name(&mut self, name: &str, interned: &mut ProtobufMessage) -> u64 {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let number = self.names.len() as u64 + 1;
        self.names.insert(name.to_string(), number);
        interned.message(2, ProtobufMessage::new().number(1, number).text(2, name));
        number
    }

    /// The number of a detail's name. A new name is added to `interned`, the names that the packet defines.
    fn annotation(&mut self, name: &'static str, interned: &mut ProtobufMessage) -> u64 {
        if let Some(&known) = self.annotations.get(name) {
            return known;
        }
        let number = self.annotations.len() as u64 + 1;
        self.annotations.insert(name, number);
        interned.message(3, ProtobufMessage::new().number(1, number).text(2, name));
        number
    }

    /// Writes a slice of a track, as a packet for its begin and one for its end.
    fn slice(&mut self, picture: &Picture<'_>, track: u64, slice: &Slice) -> io::Result<()> {
        let mut interned = ProtobufMessage::new();
        let mut event = ProtobufMessage::new();
        let name = self.name(slice.what.name(picture.run), &mut interned);
        event.number(TYPE, BEGIN).number(TRACK, track).number(NAME_IID, name);
        for (name, value) in slice.what.details(picture.run) {
            let iid = self.annotation(name, &mut interned);
            let mut annotation = ProtobufMessage::new();
            // A GUID is written as a pointer, which viewers show in hexadecimal digits; other details as unsigned
            // numbers.
            let field = if matches!(name, "guid" | "block") { 7 } else { 3 };
            annotation.number(1, iid).number(field, value);
            event.message(ANNOTATION, &annotation);
        }
        if let Some(label) = slice.what.label(picture.run) {
            let iid = self.annotation("label", &mut interned);
            let mut annotation = ProtobufMessage::new();
            event.message(ANNOTATION, annotation.number(1, iid).text(6, label));
        }
        for &id in picture.arrows.from(slice) {
            event.fixed(FLOW, id);
        }
        for &id in picture.arrows.to(slice) {
            event.fixed(LAST_FLOW, id);
        }
        let mut packet = ProtobufMessage::new();
        packet.number(TIMESTAMP, slice.begin);
        if !interned.bytes().is_empty() {
            packet.message(INTERNED, &interned);
        }
        self.packet(packet.message(TRACK_EVENT, &event))?;
        let mut event = ProtobufMessage::new();
        event.number(TYPE, END).number(TRACK, track);
        let mut packet = ProtobufMessage::new();
        self.packet(packet.number(TIMESTAMP, slice.end).message(TRACK_EVENT, &event))
    }
}

/// Writes a picture as packets. The error is that of `out`.
pub(super) fn write(picture: &Picture<'_>, out: &mut impl Write) -> io::Result<()> {
    let run = picture.run;
    let mut writer = PacketWriter { out, names: HashMap::new(), annotations: HashMap::new(), is_begun: false };
    let program = run.about.get("program").map_or("program", String::as_str);
    writer.describe(PROGRAM, |descriptor| {
        let mut process = ProtobufMessage::new();
        process.number(1, u64::from(run.process)).text(6, program);
        // A label of the process, by which another run finds out whose file this is.
        process.text(8, &run.identity);
        descriptor.message(PROCESS, &process);
    })?;
    for place in run.devices.keys() {
        writer.describe(DEVICES + u64::from(*place), |descriptor| {
            descriptor.number(PARENT, PROGRAM).text(NAME, &run.place_name(*place));
        })?;
    }
    for (number, (lane, slices)) in picture.tracks.iter().enumerate() {
        let track = LANES + number as u64;
        writer.describe(track, |descriptor| {
            let parent = lane.place().map_or(PROGRAM, |place| DEVICES + u64::from(place));
            let name = match *lane {
                ViewerTrack::Thread(owner) if lane.name(run).is_empty() => {
                    format!("thread {owner}")
                }
                lane => lane.name(run),
            };
            descriptor.number(PARENT, parent).text(NAME, &name);
        })?;
        for slice in slices {
            writer.slice(picture, track, slice)?;
        }
    }
    for (number, counter) in picture.counters.iter().enumerate() {
        let track = COUNTERS + number as u64;
        writer.describe(track, |descriptor| {
            descriptor.number(PARENT, PROGRAM).text(NAME, &counter.name);
            descriptor.message(COUNTER, &ProtobufMessage::new());
        })?;
        for &(at, value) in &counter.samples {
            let mut event = ProtobufMessage::new();
            event.number(TYPE, COUNTED).number(TRACK, track).number(VALUE, value);
            let mut packet = ProtobufMessage::new();
            writer.packet(packet.number(TIMESTAMP, at).message(TRACK_EVENT, &event))?;
        }
    }
    Ok(())
}
