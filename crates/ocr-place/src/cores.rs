//! How workers and CPU devices share the cores of a machine. What the runtime does to threads for that is in its files
//! `cores.rs` and `engine/state/lending.rs`; a simulation needs the numbers alone.

/// How many of the workers and of the compute units get a core each, where there are so many cores. None where one side
/// would get no core. `is_fixed`: the user has asked for this number of workers.
///
/// Where there is room for all, all stay. Workers that the user has asked for stay, too, and the compute units get the
/// cores that are left. Else each side gets half of the cores: which of the two is faster is not known before, and a
/// comparison is fair where both have as much. An odd core is a worker's, since much of a program has no kernel.
/// Devices with fewer units than half of the cores leave the rest to the workers.
pub fn divide(cores: usize, workers: usize, is_fixed: bool, units: usize) -> Option<(usize, usize)> {
    if cores < 2 || workers == 0 || units == 0 {
        return None;
    }
    if workers + units <= cores {
        return Some((workers, units));
    }
    if is_fixed {
        let left = cores.checked_sub(workers).filter(|&left| left != 0)?;
        return Some((workers, units.min(left)));
    }
    let units = units.min(cores / 2);
    Some((workers.min(cores - units), units))
}

/// How many units a device of `own` keeps, of `all` that the devices have together, where `units` of these work: its
/// part of the share, and one at least. So many small devices may keep more units than the share has.
pub fn units_of(own: usize, all: usize, units: usize) -> usize {
    (own * units / all.max(1)).clamp(1, own.max(1))
}

/// How many cores of the workers' the CPU devices have, of so many, while they have so many launches.
pub fn lent_for(cores: usize, launches: usize, is_host_busy: bool) -> usize {
    match (launches, is_host_busy) {
        (0, _) => 0,
        (_, false) => cores,
        (launches, true) => launches.min(cores / 2).max(1),
    }
}

/// How many of the workers run EDTs while so many cores are lent.
pub fn workers_beside(workers: usize, lent: usize, cores: usize) -> usize {
    if lent >= cores {
        return workers;
    }
    (workers * (cores - lent)).div_ceil(cores).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_lent_to_launches_and_no_core_is_left_idle() {
        for cores in 1..20 {
            assert_eq!(lent_for(cores, 0, false), 0);
            assert_eq!(lent_for(cores, 0, true), 0);
            for launches in 1..40 {
                assert_eq!(lent_for(cores, launches, false), cores);
                let lent = lent_for(cores, launches, true);
                assert!(lent >= 1 && lent <= launches && lent <= (cores / 2).max(1));
            }
        }
        assert_eq!(lent_for(2, 9, true), 1);
        assert_eq!(lent_for(16, 3, true), 3);
        assert_eq!(lent_for(16, 30, true), 8);
    }

    #[test]
    fn workers_and_what_is_lent_fill_the_cores() {
        for cores in 1..20 {
            for lent in 0..=cores {
                let workers = workers_beside(cores, lent, cores);
                let all = if lent == cores { cores } else { cores - lent };
                assert_eq!(workers, all);
            }
        }
        // More workers than cores, and fewer.
        assert_eq!(workers_beside(8, 1, 2), 4);
        assert_eq!(workers_beside(3, 2, 4), 2);
        assert_eq!(workers_beside(1, 1, 2), 1);
    }
}
