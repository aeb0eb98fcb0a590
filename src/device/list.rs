//! A short list that needs no memory of its own while it is short.
//!
//! A launch is made by one thread and ends on another. Memory that one thread gets and another gives
//! back makes them wait for each other in `malloc`, which costs more than copying the few words that
//! a launch mostly has.

use std::ops::Deref;

/// How many elements need no memory.
const FEW: usize = 4;

/// A list that does not change once it is made.
#[derive(Clone, Debug)]
pub struct List<T> {
    /// How many of `few` are elements, where `more` is empty. Else `more` has them all.
    len: usize,
    few: [T; FEW],
    more: Vec<T>,
}

impl<T> Deref for List<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self.more.is_empty() {
            true => &self.few[..self.len],
            false => &self.more,
        }
    }
}

impl<T: Copy + Default> FromIterator<T> for List<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut elements = elements.into_iter();
        let (mut len, mut few) = (0, [T::default(); FEW]);
        let mut more = Vec::new();
        while let Some(element) = elements.next() {
            if len < FEW {
                few[len] = element;
                len += 1;
                continue;
            }
            more.extend_from_slice(&few);
            more.push(element);
            more.extend(elements);
            break;
        }
        List { len, few, more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_it_was_made_of() {
        for n in 0..12_u64 {
            let list: List<u64> = (1..=n).collect();
            assert_eq!(*list, (1..=n).collect::<Vec<_>>());
            assert_eq!(list.more.is_empty(), n <= FEW as u64);
        }
    }
}
