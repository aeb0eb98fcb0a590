//! The input of a simulation: a graph of EDTs with their times, blocks and dependences, and a machine.

use crate::model::Params;

/// A data block that EDTs of the graph use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SimulatedBlock {
    /// The size of the block in bytes.
    pub bytes: u64,
}

/// How an EDT uses a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uses {
    /// The index of the block in [`TaskGraph::blocks`].
    pub block: u32,
    /// Whether the EDT writes the block. No other place has a valid copy afterwards.
    pub writes: bool,
}

/// A dependence of a second EDT on something that an EDT does in its body, such as to satisfy an event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct During {
    /// The index of the EDT that waits, in [`TaskGraph::tasks`]. It is larger than that of the EDT that is waited for.
    pub successor: u32,
    /// The part of its time, from 0 to 1, after which the EDT releases the successor, in whatever place it runs.
    pub part: f32,
}

/// What it costs to run an EDT in a place, besides its time there. All are nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Costs {
    /// From when the EDT is ready, or is given to a device, until it begins there, if nothing else holds it up.
    pub launch_ns: u64,
    /// From the end of the EDT before it in the same worker or device until it begins.
    pub gap_ns: u64,
    /// From its end until those that wait for it may know.
    pub told_ns: u64,
}

/// An EDT, or a join. A join has no times, and is over as soon as everything that it waits for is.
#[derive(Clone, Default, Debug)]
pub struct SimulatedTask {
    /// The number of the EDT's template. EDTs of one template whose blocks have as many bytes are alike to a policy.
    pub template: u32,
    /// The value of the EDT's hint about priority; EDTs with a higher one go first.
    pub priority: u64,
    /// Nanoseconds that the EDT's variant takes in each place: the host, then the devices in the order of
    /// [`MachineModel::devices`]. None where it has no variant. A join has no elements.
    pub ns: Vec<Option<u64>>,
    /// What the EDT costs besides in each place, in the order of `ns`. Where there is no element, it costs nothing.
    pub costs: Vec<Costs>,
    /// The parameters of the EDT, by which its time may be predicted.
    pub params: Params,
    /// The blocks that the EDT uses.
    pub blocks: Vec<Uses>,
    /// The indices in [`TaskGraph::tasks`] of the EDTs that wait for the end of this one; all are larger than its own.
    pub successors: Vec<u32>,
    /// The EDTs that wait for what this one does before its end.
    pub during: Vec<During>,
    /// The nearest finish EDT in whose scope this EDT is, of those that can run on the host and on a device; its index
    /// is lower. Where that EDT runs on a device, its kernel does what this EDT would have done, which does not run.
    pub within: Option<u32>,
}

impl SimulatedTask {
    /// Whether this is a join, which runs nowhere.
    pub fn is_join(&self) -> bool {
        self.ns.is_empty()
    }
}

/// EDTs and the blocks that they use.
#[derive(Clone, Default, Debug)]
pub struct TaskGraph {
    /// The EDTs, each before those that wait for it.
    pub tasks: Vec<SimulatedTask>,
    /// The blocks. All are in the host's memory at the beginning.
    pub blocks: Vec<SimulatedBlock>,
    /// How many templates there are.
    pub templates: u32,
}

impl TaskGraph {
    /// For each EDT, how many others are in its scope, without those in scopes within that.
    pub(super) fn in_scopes(&self) -> Vec<u32> {
        let mut count = vec![0; self.tasks.len()];
        for head in self.tasks.iter().filter_map(|task| task.within) {
            count[head as usize] += 1;
        }
        count
    }

    /// For each EDT, how many dependences it waits for. The error is a text that says what is wrong with the graph.
    pub(super) fn waits(&self) -> Result<Vec<u32>, String> {
        let mut waits = vec![0; self.tasks.len()];
        for (number, task) in self.tasks.iter().enumerate() {
            if task.ns.iter().all(Option::is_none) && !task.is_join() {
                return Err(format!("EDT {number} has no variant that can run"));
            }
            if task.template >= self.templates {
                return Err(format!("EDT {number} is of a template that is not there"));
            }
            if (task.blocks.iter()).any(|uses| uses.block as usize >= self.blocks.len()) {
                return Err(format!("EDT {number} uses a block that is not there"));
            }
            if task.within.is_some_and(|head| head as usize >= number || self.tasks[head as usize].is_join()) {
                return Err(format!("EDT {number} is in the scope of an EDT that could not have created it"));
            }
            if task.is_join() && !task.during.is_empty() {
                return Err(format!("the join {number} has no body in which it does something"));
            }
            let during = task.during.iter().map(|during| during.successor);
            for successor in task.successors.iter().copied().chain(during) {
                if successor as usize <= number || successor as usize >= waits.len() {
                    return Err(format!("EDT {successor} cannot wait for EDT {number}"));
                }
                waits[successor as usize] += 1;
            }
        }
        Ok(waits)
    }
}

/// An OpenCL device, with its link to the host.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct SimulatedDevice {
    /// Nanoseconds of a copy of a few bytes.
    pub latency_ns: f64,
    /// Bytes per second of a long copy.
    pub bandwidth: f64,
    /// Whether the device uses the host's memory, so that nothing is copied.
    pub shares_memory: bool,
    /// Whether its blocks are brought to workers by the same threads that run its kernels, as it is with a CPU device:
    /// a block comes when the kernels have ended that the device had when it was asked for.
    pub brings_behind_kernels: bool,
}

/// The machine on which a graph runs in virtual time.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct MachineModel {
    /// How many workers run C functions; at least one.
    pub workers: usize,
    /// The devices, in the order of the times in [`SimulatedTask::ns`] behind that of the host.
    pub devices: Vec<SimulatedDevice>,
    /// The cores of the workers that some devices compute on under a policy that asks for it. None where each has its
    /// own.
    pub lends: Option<LentCores>,
    /// Whether an idle worker runs an EDT, too, that a device runs, where the policy asks for it.
    pub duplicates: bool,
}

/// Cores of the workers on which devices compute for as long as they have kernels. The times of their kernels are those
/// with all of these cores; with a part of them, a kernel takes as many times as long.
#[derive(Clone, PartialEq, Debug)]
pub struct LentCores {
    /// How many cores there are.
    pub cores: usize,
    /// The devices, by their indices in [`MachineModel::devices`].
    pub devices: Vec<usize>,
}
