//! Numbers, texts and messages in the form of protocol buffers: a key of field number and type, then a value.

/// A message that is being written.
#[derive(Clone, Default)]
pub(super) struct ProtobufMessage(Vec<u8>);

impl ProtobufMessage {
    pub(super) fn new() -> ProtobufMessage {
        ProtobufMessage::default()
    }

    /// The bytes of the message, without a length before them.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Appends a number as groups of seven bits, the lowest first.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Appends the key of a field: its number, and the type of the value that follows.
    fn key(&mut self, field: u32, wire: u32) {
        self.varint(u64::from(field << 3 | wire));
    }

    /// Appends a field with a number, which takes fewer bytes the smaller it is.
    pub(super) fn number(&mut self, field: u32, value: u64) -> &mut ProtobufMessage {
        self.key(field, 0);
        self.varint(value);
        self
    }

    /// Appends a field with a number of eight bytes.
    pub(super) fn fixed(&mut self, field: u32, value: u64) -> &mut ProtobufMessage {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Appends a field with a text.
    pub(super) fn text(&mut self, field: u32, text: &str) -> &mut ProtobufMessage {
        self.key(field, 2);
        self.varint(text.len() as u64);
        self.0.extend(text.as_bytes());
        self
    }

    /// Appends a field with another message.
    pub(super) fn message(&mut self, field: u32, inner: &ProtobufMessage) -> &mut ProtobufMessage {
        self.key(field, 2);
        self.varint(inner.0.len() as u64);
        self.0.extend(&inner.0);
        self
    }
}
