//! Columns of numbers for a page: each as variable-length integers, compressed, in base64.
//!
//! A number is written in groups of seven bits, the lowest first, each but the last with its eighth bit set. A signed
//! number `n` is written as `2 n`, or as `-2 n - 1` if it is negative. Neighbours differ little, so most columns hold
//! differences. `data.js` unpacks what is packed here.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// A column that is being written.
#[derive(Default)]
pub(super) struct Column {
    bytes: Vec<u8>,
    /// The value with which [`Column::add_difference`] was last called.
    last: i64,
}

impl Column {
    /// Appends a number, seven bits in a byte.
    pub(super) fn add(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Adds a number that may be negative.
    pub(super) fn add_signed(&mut self, value: i64) {
        self.add(((value << 1) ^ (value >> 63)) as u64);
    }

    /// Adds the difference between a number and the one with which this was called last; the first time, the number
    /// itself.
    pub(super) fn add_difference(&mut self, value: i64) {
        let last = std::mem::replace(&mut self.last, value);
        self.add_signed(value.wrapping_sub(last));
    }

    /// The column as text: its bytes compressed by zlib, in base64.
    pub(super) fn packed(&self) -> String {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        let packed = packed.write_all(&self.bytes).and_then(|()| packed.finish());
        match packed {
            Ok(bytes) => base64(&bytes),
            Err(error) => unreachable!("memory takes what is written: {error}"),
        }
    }
}

/// The text of bytes in base64.
pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = bits >> (18 - 6 * at) & 63;
            let is_there = at <= group.len();
            text.push(if is_there { char::from(DIGITS[digit as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_others_write_it() {
        for (bytes, text) in
            [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foo", "Zm9v"), (b"\xff\xfe\xfd\xfc", "//79/A==")]
        {
            assert_eq!(base64(bytes), text);
        }
    }

    #[test]
    fn numbers_are_written_in_groups_of_seven_bits() {
        let mut column = Column::default();
        column.add(0);
        column.add(127);
        column.add(300);
        column.add_signed(-1);
        column.add_signed(2);
        column.add_difference(10);
        column.add_difference(7);
        assert_eq!(column.bytes, [0, 127, 0xac, 2, 1, 4, 20, 5]);
        let mut largest = Column::default();
        largest.add(u64::MAX);
        largest.add_signed(i64::MIN);
        assert_eq!(
            largest.bytes,
            [[0xff; 9], [0xff; 9]]
                .map(|bytes| {
                    let mut all = bytes.to_vec();
                    all.push(1);
                    all
                })
                .concat()
        );
    }
}
