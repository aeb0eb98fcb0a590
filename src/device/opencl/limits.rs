//! What a device and a kernel permit: sizes of work-groups and of buffers.
//!
//! The local size of a launch is never left to OpenCL: platforms have picked sizes that the kernel does not permit
//! (PoCL does so where its source demands one by `reqd_work_group_size`).

use crate::device::host::signature::{ArgKind, Signature};
use crate::device::opencl::fault::Fault;
use crate::device::opencl::raw::OpenclKernel;
use crate::device::{DeviceInfo, DeviceKind, LaunchRange};
use crate::trace::format::WorkGroupBasis;
use ocr_base::text::Counted;
use opencl3::kernel::{
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_WORK_GROUP_SIZE,
};

/// More work-items in a group make no kernel faster on a device that is not the host's cores.
const LARGE_GROUP: usize = 256;

/// What work-groups of a kernel a device permits.
pub(crate) struct GroupSizes {
    /// Work-items of a group at most, of this kernel: `CL_KERNEL_WORK_GROUP_SIZE`.
    most: usize,
    /// Work-items of a group at most, of any kernel: `CL_DEVICE_MAX_WORK_GROUP_SIZE`.
    most_of_device: usize,
    /// Work-items of a group at most, per dimension: `CL_DEVICE_MAX_WORK_ITEM_SIZES`.
    per_dimension: [usize; 3],
    /// The only size, where the source demands it by `reqd_work_group_size`.
    required: Option<[usize; 3]>,
    /// Groups are best multiples of this.
    multiple: usize,
    /// The number of groups from which on the device is busy.
    units: usize,
    /// The largest that is chosen.
    plenty: usize,
    /// Every group has the local size; from OpenCL 2.0 on, the last ones may be smaller.
    uniform: bool,
    /// What was chosen last, and for what.
    chosen: Option<(u32, [usize; 3], [usize; 3])>,
}

impl GroupSizes {
    /// Asks OpenCL about a kernel that was built with these options.
    pub(crate) fn of(kernel: &OpenclKernel, info: &DeviceInfo, options: &[u8]) -> Self {
        let options = String::from_utf8_lossy(options);
        let ask = |what| kernel.work_group_number(info.id, what) as usize;
        let required = kernel.work_group_numbers(info.id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
        let most_of_device = info.max_work_group.max(1);
        let most = match ask(CL_KERNEL_WORK_GROUP_SIZE) {
            0 => most_of_device,
            most => most.min(most_of_device),
        };
        let newer = ["-cl-std=CL2", "-cl-std=CL3", "-cl-std=CLC++"];
        GroupSizes {
            most,
            most_of_device,
            per_dimension: info.max_work_items.map(|most| most.max(1)),
            required: (required != [0; 3]).then(|| required.map(|size| size.max(1))),
            multiple: ask(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).max(1),
            units: info.compute_units.max(1) as usize,
            plenty: match info.kind {
                DeviceKind::Cpu => usize::MAX,
                _ => LARGE_GROUP,
            },
            uniform: !newer.iter().any(|version| options.contains(version))
                || options.contains("-cl-uniform-work-group-size"),
            chosen: None,
        }
    }

    /// The range with a local size that is permitted: the one that was given, or one that is chosen.
    pub(crate) fn fit(&mut self, range: &LaunchRange) -> Result<LaunchRange, Fault> {
        let dims = range.work_dim as usize;
        // OpenCL has words of its own for these, and without work-items there is no group.
        if !(1..=3).contains(&dims) || range.global[..dims].contains(&0) {
            return Ok(*range);
        }
        let local = match (range.local, self.required) {
            (Some(given), _) => {
                self.check(dims, &range.global, &given)?;
                given
            }
            (None, Some(required)) => {
                self.check(dims, &range.global, &required)?;
                required
            }
            (None, None) => match self.chosen {
                Some((of, global, local)) if of == range.work_dim && global == range.global => local,
                _ => {
                    let local = self.choose(&range.global[..dims]);
                    self.chosen = Some((range.work_dim, range.global, local));
                    local
                }
            },
        };
        Ok(LaunchRange { local: Some(local), ..*range })
    }

    /// How many work-groups a range has that was fitted, of how many work-items each, and how that came about. None
    /// where it has no work-items. `asked` is the range before that.
    pub(crate) fn told(&self, asked: &LaunchRange, fitted: &LaunchRange) -> Option<((u64, u32), WorkGroupBasis)> {
        let local = fitted.local?;
        let (mut groups, mut items) = (1_u64, 1_u64);
        for (&size, &each) in fitted.global.iter().zip(&local).take(fitted.work_dim as usize) {
            groups = groups.saturating_mul(size.div_ceil(each.max(1)) as u64);
            items = items.saturating_mul(each as u64);
        }
        let multiple = self.multiple.min(usize::from(u16::MAX)) as u16;
        let basis = WorkGroupBasis { multiple, is_given: asked.local.is_some() || self.required.is_some() };
        (groups != 0).then_some(((groups, items.min(u32::MAX.into()) as u32), basis))
    }

    /// Divides each global size, and is as large as permitted but for leaving each compute unit a group.
    fn choose(&self, global: &[usize]) -> [usize; 3] {
        let all = (global.iter()).fold(1usize, |all, &size| all.saturating_mul(size));
        let mut room = (all / self.units).clamp(1, self.most.min(self.plenty));
        let mut local = [1; 3];
        for (dimension, &size) in global.iter().enumerate() {
            let most = self.per_dimension[dimension];
            local[dimension] = match dimension {
                0 => first_size(size, room.min(most), self.most.min(most), self.multiple),
                _ => largest_divisor(size, room.min(most)),
            };
            room = (room / local[dimension]).max(1);
        }
        local
    }

    fn check(&self, dims: usize, global: &[usize; 3], local: &[usize; 3]) -> Result<(), Fault> {
        let used = &local[..dims];
        let shown = SizesText(used);
        let hint = "the local size is localSize of the template's range function, or local_work_size of \
                    ocrOpenclTaskCreate; where none is given, the runtime chooses one that is permitted";
        let refuse = |cause: String| Err(Fault { hint: Some(hint.to_string()), ..Fault::new(cause) });
        if let Some(at) = used.iter().position(|&size| size == 0) {
            return refuse(format!("its local size {shown} is 0 in dimension {at}, and not in dimension 0"));
        }
        if let Some(required) = self.required {
            let whole = SizesText(&required);
            let fits = used == &required[..dims];
            if !fits || required[dims..].iter().any(|&size| size != 1) {
                return refuse(format!(
                    "its source demands work-groups of {whole} work-items (reqd_work_group_size), and its range has \
                     {dims} dimension{} with a local size of {shown}",
                    if dims == 1 { "" } else { "s" }
                ));
            }
        }
        for (at, (&size, &most)) in used.iter().zip(&self.per_dimension).enumerate() {
            if size > most {
                return refuse(format!(
                    "its local size {shown} has {size} work-items in dimension {at}, and this device permits {most} \
                     there (CL_DEVICE_MAX_WORK_ITEM_SIZES)"
                ));
            }
        }
        let items = (used.iter()).try_fold(1usize, |all, &size| all.checked_mul(size));
        let shown_items = items.map_or("too many".to_string(), |items| items.to_string());
        if items.is_none_or(|items| items > self.most) {
            let (most, name) = if items.is_none_or(|items| items > self.most_of_device) {
                (self.most_of_device, "CL_DEVICE_MAX_WORK_GROUP_SIZE")
            } else {
                (self.most, "CL_KERNEL_WORK_GROUP_SIZE, of this kernel")
            };
            return refuse(format!(
                "its local size {shown} makes work-groups of {shown_items} work-items, and this device permits {most} \
                 ({name})"
            ));
        }
        let uneven = |at: &usize| !global[*at].is_multiple_of(used[*at]);
        if self.uniform
            && let Some(at) = (0..dims).find(uneven)
        {
            return refuse(format!(
                "the global size {} of dimension {at} is no multiple of the local size {}{}",
                global[at],
                used[at],
                match self.required {
                    Some(_) => ", which its source demands (reqd_work_group_size)",
                    None => "",
                }
            ));
        }
        Ok(())
    }
}

/// SizesText as they stand in a message, `8 x 1`.
struct SizesText<'a>(&'a [usize]);

impl std::fmt::Display for SizesText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, size) in self.0.iter().enumerate() {
            write!(f, "{}{size}", if at == 0 { "" } else { " x " })?;
        }
        Ok(())
    }
}

/// A divisor of `size`: the largest multiple of `multiple` up to `room`, else the largest up to `room`. Where that is
/// small, as of a prime number, the whole of `size` is one group if it may be, since tiny groups cost more than units
/// without work.
fn first_size(size: usize, room: usize, most: usize, multiple: usize) -> usize {
    let aligned =
        if size.is_multiple_of(multiple) { largest_divisor(size / multiple, room / multiple) * multiple } else { 0 };
    let best = match aligned {
        0 => largest_divisor(size, room),
        best => best,
    };
    if best * 4 < room && size <= most { size } else { best }
}

/// The largest divisor of `size` that is at most `room`; 0 if there is no room.
fn largest_divisor(size: usize, room: usize) -> usize {
    let power = 1 << size.trailing_zeros().min(room.checked_ilog2().unwrap_or(0));
    // SizesText are mostly round, and so is what is permitted.
    if power == room {
        return power;
    }
    let from = room.min(size);
    (1..=from).rev().find(|&divisor| size.is_multiple_of(divisor)).unwrap_or(0)
}

/// Why a buffer of `bytes` bytes could not be made.
pub(crate) fn buffer_fault(info: &DeviceInfo, bytes: u64, status: i32) -> Fault {
    let most = info.max_buffer;
    let too_large = most != 0 && bytes > most;
    let hint = too_large.then(|| {
        format!(
            "the largest buffer of this device has {most} bytes (CL_DEVICE_MAX_MEM_ALLOC_SIZE; `ocr info` lists it): let \
             the kernel work on smaller blocks, or on parts of this one (ocrDbPartition)"
        )
    });
    Fault { hint, ..Fault::opencl(format!("making a buffer of {} failed", Counted(bytes, "byte")), status) }
}

/// Constant memory of the host's cores is their memory, whatever OpenCL says of it.
fn has_constant_memory(info: &DeviceInfo) -> bool {
    info.kind != DeviceKind::Cpu && info.max_constant_buffer != 0
}

pub(crate) fn check_constants(
    info: &DeviceInfo,
    signature: &Signature,
    params: usize,
    sizes: impl Iterator<Item = u64>,
) -> Result<(), Fault> {
    if !has_constant_memory(info) {
        return Ok(());
    }
    for (slot, size) in sizes.enumerate() {
        let index = params + slot;
        if signature.args.get(index) == Some(&ArgKind::Constant) && size > info.max_constant_buffer {
            return Err(Fault {
                hint: Some("make it a pointer to global memory, or work on a smaller block".to_string()),
                ..Fault::new(format!(
                    "{}, gets the block of slot {slot}, which has {}, and constant memory of this device \
                     takes {} (CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)",
                    signature.named(index),
                    Counted(size, "byte"),
                    info.max_constant_buffer
                ))
            });
        }
    }
    Ok(())
}

/// Whether a kernel has no more pointers to constant memory than the device takes.
///
/// # Errors
/// A message that names the limit.
pub(crate) fn count_constants(info: &DeviceInfo, signature: &Signature) -> Result<(), String> {
    let constants = |kind: &&ArgKind| **kind == ArgKind::Constant;
    let count = signature.args.iter().filter(constants).count();
    let most = info.max_constant_args as usize;
    if has_constant_memory(info) && most != 0 && count > most {
        Err(format!(
            "has {count} pointers to constant memory, and the device takes {most} (CL_DEVICE_MAX_CONSTANT_ARGS): make \
         some of them pointers to global memory"
        ))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups() -> GroupSizes {
        GroupSizes {
            most: 256,
            most_of_device: 512,
            per_dimension: [256, 128, 64],
            required: None,
            multiple: 8,
            units: 2,
            plenty: usize::MAX,
            uniform: true,
            chosen: None,
        }
    }

    fn range(global: &[usize], local: Option<[usize; 3]>) -> LaunchRange {
        let mut sizes = [1; 3];
        sizes[..global.len()].copy_from_slice(global);
        LaunchRange { work_dim: global.len() as u32, offset: [0; 3], global: sizes, local }
    }

    #[test]
    fn chosen_sizes_are_permitted() {
        let mut groups = groups();
        for x in (1..600).chain([1 << 20, 1_000_003, 3 << 40, (1 << 56) - 1]) {
            for (y, z) in [(1, 1), (7, 1), (64, 3), (1000, 1000)] {
                let global = [x, y, z];
                let fitted = groups.fit(&range(&global, None)).unwrap_or_else(|_| panic!("{global:?}"));
                let local = fitted.local.expect("one is chosen");
                assert!(groups.check(3, &global, &local).is_ok(), "{global:?}: {local:?}");
            }
        }
        let chosen = |groups: &mut GroupSizes, global: &[usize]| {
            groups.fit(&range(global, None)).ok().and_then(|range| range.local)
        };
        assert_eq!(chosen(&mut groups, &[1024]), Some([256, 1, 1]));
        assert_eq!(chosen(&mut groups, &[64]), Some([32, 1, 1]));
        assert_eq!(chosen(&mut groups, &[97]), Some([97, 1, 1]));
        assert_eq!(chosen(&mut groups, &[1000]), Some([200, 1, 1]));
        assert_eq!(chosen(&mut groups, &[8, 8, 8]), Some([8, 8, 4]));
        groups.required = Some([8, 2, 1]);
        assert_eq!(chosen(&mut groups, &[64, 4]), Some([8, 2, 1]));
    }

    #[test]
    fn the_groups_of_a_launch_are_told() {
        let mut groups = groups();
        let mut told = |global: &[usize], local| {
            let asked = range(global, local);
            let fitted = groups.fit(&asked).unwrap_or_else(|_| panic!("{global:?}"));
            groups.told(&asked, &fitted)
        };
        let basis = |is_given| WorkGroupBasis { multiple: 8, is_given };
        assert_eq!(told(&[1024], None), Some(((4, 256), basis(false))));
        assert_eq!(told(&[1024], Some([1, 1, 1])), Some(((1024, 1), basis(true))));
        assert_eq!(told(&[64, 4], Some([8, 2, 1])), Some(((16, 16), basis(true))));
        assert_eq!(told(&[0], None), None);
        groups.uniform = false;
        let asked = range(&[100], Some([64, 1, 1]));
        let fitted = groups.fit(&asked).unwrap_or_else(|_| panic!("the last group may be smaller"));
        assert_eq!(groups.told(&asked, &fitted), Some(((2, 64), basis(true))));
    }

    #[test]
    fn what_is_not_permitted_names_the_limit() {
        let mut groups = groups();
        let mut refused = |global: &[usize], local: [usize; 3]| {
            groups.fit(&range(global, Some(local))).err().map(|fault| fault.cause).unwrap_or_default()
        };
        let words = refused(&[1024], [300, 1, 1]);
        assert!(words.contains("permits 256 there (CL_DEVICE_MAX_WORK_ITEM_SIZES)"), "{words}");
        let words = refused(&[256, 256], [64, 8, 1]);
        assert!(words.contains("512 work-items") && words.contains("256 (CL_KERNEL_WORK_GROUP_SIZE"), "{words}");
        let words = refused(&[256, 256], [64, 16, 1]);
        assert!(words.contains("512 (CL_DEVICE_MAX_WORK_GROUP_SIZE"), "{words}");
        let words = refused(&[256, 256], [64, 0, 1]);
        assert!(words.contains("64 x 0 is 0 in dimension 1"), "{words}");
        let words = refused(&[100], [8, 1, 1]);
        assert!(words.contains("global size 100 of dimension 0 is no multiple of the local size 8"), "{words}");
        groups.required = Some([8, 2, 1]);
        let words = groups.fit(&range(&[64], None)).err().map(|fault| fault.cause).unwrap_or_default();
        assert!(words.contains("demands work-groups of 8 x 2 x 1"), "{words}");
        let words = groups.fit(&range(&[63, 2], None)).err().map(|fault| fault.cause).unwrap_or_default();
        assert!(words.contains("which its source demands"), "{words}");
        groups.uniform = false;
        assert!(groups.fit(&range(&[63, 2], None)).is_ok());
    }

    #[test]
    fn a_buffer_that_is_too_large_names_the_limit() {
        let info = DeviceInfo::example(0, DeviceKind::Gpu);
        let hint = |bytes| buffer_fault(&info, bytes, -61).hint.unwrap_or_default();
        assert!(hint(info.max_buffer + 1).contains("268435456 bytes (CL_DEVICE_MAX_MEM_ALLOC_SIZE"));
        assert_eq!(hint(info.max_buffer), "");
    }

    #[test]
    fn constant_memory_has_limits() {
        let gpu = DeviceInfo::example(0, DeviceKind::Gpu);
        let cpu = DeviceInfo::example(0, DeviceKind::Cpu);
        let signature = |constants| Signature {
            args: vec![ArgKind::Constant; constants],
            texts: vec!["constant int *c".to_string(); constants],
            unsized_types: Vec::new(),
        };
        let large = || [1u64 << 20].into_iter();
        let fault = check_constants(&gpu, &signature(1), 0, large()).err().map(|fault| fault.cause);
        let words = fault.unwrap_or_default();
        assert!(words.contains("'constant int *c'") && words.contains("CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE"));
        assert!(check_constants(&gpu, &signature(1), 0, [4u64].into_iter()).is_ok());
        assert!(check_constants(&cpu, &signature(1), 0, large()).is_ok());
        assert!(count_constants(&gpu, &signature(8)).is_ok());
        assert!(count_constants(&gpu, &signature(9)).is_err_and(|text| text.contains("takes 8")));
    }
}
