//! A run as packets of Perfetto (`perfetto_trace.proto`). A file is packets one after the other, so one that is cut off is
//! read up to the cut.

use super::protobuf::Message;
use super::{Lane, Picture, Slice};
use std::collections::HashMap;
use std::io::{self, Write};

/// `Trace.packet`.
const PACKET: u32 = 1;
/// Fields of `TracePacket`.
const TIMESTAMP: u32 = 8;
const SEQUENCE: u32 = 10;
const TRACK_EVENT: u32 = 11;
const INTERNED: u32 = 12;
const FLAGS: u32 = 13;
const DESCRIPTOR: u32 = 60;
/// Values of its flags: names begin anew; names that came before are needed.
const CLEARED: u64 = 1;
const NEEDED: u64 = 2;
/// Fields of `TrackDescriptor`.
const UUID: u32 = 1;
const NAME: u32 = 2;
const PROCESS: u32 = 3;
const PARENT: u32 = 5;
const COUNTER: u32 = 8;
/// Fields of `TrackEvent`.
const ANNOTATION: u32 = 4;
const TYPE: u32 = 9;
const NAME_IID: u32 = 10;
const TRACK: u32 = 11;
const VALUE: u32 = 30;
const FLOW: u32 = 47;
const LAST_FLOW: u32 = 48;
/// Values of its type.
const BEGIN: u64 = 1;
const END: u64 = 2;
const COUNTED: u64 = 4;

/// The track of the process.
const PROGRAM: u64 = 1;
/// Tracks of devices begin here, then those of lanes, then those of counters.
const DEVICES: u64 = 0x100;
const LANES: u64 = 0x1_0000;
const COUNTERS: u64 = 0x100_0000;

struct Writer<'a, W> {
    out: &'a mut W,
    names: HashMap<String, u64>,
    annotations: HashMap<&'static str, u64>,
    is_begun: bool,
}

impl<W: Write> Writer<'_, W> {
    fn packet(&mut self, packet: &mut Message) -> io::Result<()> {
        packet.number(SEQUENCE, 1);
        let flags = if self.is_begun { NEEDED } else { CLEARED };
        self.is_begun = true;
        packet.number(FLAGS, flags);
        let mut file = Message::new();
        file.message(PACKET, packet);
        self.out.write_all(file.bytes())
    }

    fn describe(&mut self, uuid: u64, fill: impl FnOnce(&mut Message)) -> io::Result<()> {
        let mut descriptor = Message::new();
        descriptor.number(UUID, uuid);
        fill(&mut descriptor);
        self.packet(Message::new().message(DESCRIPTOR, &descriptor))
    }

    /// The number of a name; where it is new, it is added to what the packet says of names.
    fn name(&mut self, name: &str, interned: &mut Message) -> u64 {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let number = self.names.len() as u64 + 1;
        self.names.insert(name.to_string(), number);
        interned.message(2, Message::new().number(1, number).text(2, name));
        number
    }

    fn annotation(&mut self, name: &'static str, interned: &mut Message) -> u64 {
        if let Some(&known) = self.annotations.get(name) {
            return known;
        }
        let number = self.annotations.len() as u64 + 1;
        self.annotations.insert(name, number);
        interned.message(3, Message::new().number(1, number).text(2, name));
        number
    }

    fn slice(&mut self, picture: &Picture<'_>, track: u64, slice: &Slice) -> io::Result<()> {
        let mut interned = Message::new();
        let mut event = Message::new();
        let name = self.name(slice.what.name(picture.run), &mut interned);
        event
            .number(TYPE, BEGIN)
            .number(TRACK, track)
            .number(NAME_IID, name);
        for (name, value) in slice.what.details(picture.run) {
            let iid = self.annotation(name, &mut interned);
            let mut annotation = Message::new();
            // A GUID is shown as an address is.
            let field = if matches!(name, "guid" | "block") {
                7
            } else {
                3
            };
            annotation.number(1, iid).number(field, value);
            event.message(ANNOTATION, &annotation);
        }
        if let Some(label) = slice.what.label(picture.run) {
            let iid = self.annotation("label", &mut interned);
            let mut annotation = Message::new();
            event.message(ANNOTATION, annotation.number(1, iid).text(6, label));
        }
        for &id in picture.arrows.from(slice) {
            event.fixed(FLOW, id);
        }
        for &id in picture.arrows.to(slice) {
            event.fixed(LAST_FLOW, id);
        }
        let mut packet = Message::new();
        packet.number(TIMESTAMP, slice.begin);
        if !interned.bytes().is_empty() {
            packet.message(INTERNED, &interned);
        }
        self.packet(packet.message(TRACK_EVENT, &event))?;
        let mut event = Message::new();
        event.number(TYPE, END).number(TRACK, track);
        let mut packet = Message::new();
        self.packet(
            packet
                .number(TIMESTAMP, slice.end)
                .message(TRACK_EVENT, &event),
        )
    }
}

pub(super) fn write(picture: &Picture<'_>, out: &mut impl Write) -> io::Result<()> {
    let run = picture.run;
    let mut writer = Writer {
        out,
        names: HashMap::new(),
        annotations: HashMap::new(),
        is_begun: false,
    };
    let program = run.about.get("program").map_or("program", String::as_str);
    writer.describe(PROGRAM, |descriptor| {
        let mut process = Message::new();
        process.number(1, u64::from(run.process)).text(6, program);
        descriptor.message(PROCESS, &process);
    })?;
    for place in run.devices.keys() {
        writer.describe(DEVICES + u64::from(*place), |descriptor| {
            descriptor
                .number(PARENT, PROGRAM)
                .text(NAME, &run.place_name(*place));
        })?;
    }
    for (number, (lane, slices)) in picture.tracks.iter().enumerate() {
        let track = LANES + number as u64;
        writer.describe(track, |descriptor| {
            let parent = lane
                .place()
                .map_or(PROGRAM, |place| DEVICES + u64::from(place));
            let name = match *lane {
                Lane::Thread(owner) if lane.name(run).is_empty() => format!("thread {owner}"),
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
            descriptor.message(COUNTER, &Message::new());
        })?;
        for &(at, value) in &counter.samples {
            let mut event = Message::new();
            event
                .number(TYPE, COUNTED)
                .number(TRACK, track)
                .number(VALUE, value);
            let mut packet = Message::new();
            writer.packet(packet.number(TIMESTAMP, at).message(TRACK_EVENT, &event))?;
        }
    }
    Ok(())
}
