//! In which shapes a kernel was launched: some platforms compile it anew for each, in its first launch.

use crate::device::LaunchRange;
use rustc_hash::FxHashSet;

/// The number of shapes of a kernel that are remembered. A kernel that is launched in more has a size that varies,
/// which no platform compiles for. Then none is taken for the first any more.
const REMEMBERED: usize = 64;

/// The shapes of a kernel's launches.
#[derive(Default)]
pub(crate) struct Shapes {
    last: Option<LaunchRange>,
    all: FxHashSet<LaunchRange>,
}

impl Shapes {
    /// Notes a launch, and says whether it was the first of this shape: of these sizes, and with an offset or without.
    pub(crate) fn is_new(&mut self, range: &LaunchRange) -> bool {
        let offset = range.offset.map(|offset| usize::from(offset != 0));
        let shape = LaunchRange { offset, ..*range };
        if self.last == Some(shape) {
            return false;
        }
        self.last = Some(shape);
        self.all.len() < REMEMBERED && self.all.insert(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(global: usize, local: Option<usize>, offset: usize) -> LaunchRange {
        LaunchRange {
            work_dim: 1,
            offset: [offset, 0, 0],
            global: [global, 1, 1],
            local: local.map(|local| [local, 1, 1]),
        }
    }

    #[test]
    fn the_first_launch_in_a_shape_is_told() {
        let mut shapes = Shapes::default();
        let launches = [
            (range(64, None, 0), true),
            (range(64, None, 0), false),
            (range(64, Some(8), 0), true),
            (range(128, None, 0), true),
            (range(64, None, 0), false),
            (range(64, None, 7), true),
            (range(64, None, 9), false),
        ];
        for (at, (range, is_new)) in launches.into_iter().enumerate() {
            assert_eq!(shapes.is_new(&range), is_new, "launch {at}");
        }
    }

    #[test]
    fn a_kernel_with_ever_new_sizes_gets_samples_all_the_same() {
        let mut shapes = Shapes::default();
        let new = (1..1000).filter(|&global| shapes.is_new(&range(global, None, 0)));
        assert_eq!(new.count(), REMEMBERED);
    }
}
