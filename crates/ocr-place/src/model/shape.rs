//! By what the time of an EDT is predicted before it runs, apart from that of others of its template: the bytes of its
//! blocks, and its parameters.

/// How many parameters are looked at, unless a hint names others.
pub(crate) const PARAMS: usize = 6;
/// The index that stands for the parameters which a hint names: their product counts.
pub(crate) const NAMED: u8 = 63;

/// The values of an EDT's first parameters, or the product of those that a hint names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Params {
    values: [u64; PARAMS],
    count: u8,
    is_named: bool,
}

/// The bytes of an EDT's blocks in all, and its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shape {
    /// Bytes of the blocks, all together.
    pub bytes: u64,
    /// The parameters.
    pub params: Params,
}

impl Params {
    /// The first of these parameters.
    pub fn first_of(values: &[u64]) -> Params {
        let mut params = Params::default();
        for (to, from) in params.values.iter_mut().zip(values) {
            *to = *from;
            params.count += 1;
        }
        params
    }

    /// The product of the parameters whose numbers are bits of `mask`, as far as they are there.
    pub fn named(values: &[u64], mask: u64) -> Params {
        let named = (0..64).filter(|bit| mask >> bit & 1 != 0);
        let values_of = named.filter_map(|bit| values.get(bit).copied());
        Params { values: [values_of.fold(1, u64::saturating_mul), 0, 0, 0, 0, 0], count: 1, is_named: true }
    }

    /// Those that are there.
    pub fn values(&self) -> &[u64] {
        &self.values[..self.count()]
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        usize::from(self.count)
    }

    /// Whether a hint names them.
    pub(crate) fn is_named(&self) -> bool {
        self.is_named
    }

    /// The value of a parameter by its index; 0 if it is not there.
    pub(crate) fn value(&self, index: u8) -> u64 {
        let index = if index == NAMED { 0 } else { index };
        self.values.get(usize::from(index)).copied().unwrap_or(0)
    }

    /// A number that other parameters hardly have, and that is no less than `least`.
    pub(crate) fn print(&self, least: u64) -> u64 {
        let mix = |mixed: u64, value: &u64| (mixed.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = self.values().iter().fold(u64::from(self.count) + 1, mix);
        mixed.max(least)
    }
}

impl From<u64> for Shape {
    /// The shape of an EDT without parameters.
    fn from(bytes: u64) -> Shape {
        Shape { bytes, params: Params::default() }
    }
}
