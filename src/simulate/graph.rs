//! What is simulated: EDTs with their times, blocks and dependences, and a machine.

/// A data block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its size in bytes.
    pub bytes: u64,
}

/// How an EDT uses a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uses {
    /// The number of the block.
    pub block: u32,
    /// Whether it writes the block: then no other place has a valid copy afterwards.
    pub writes: bool,
}

/// An EDT waits for what another does in its body.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct During {
    /// The number of the EDT that waits; it is larger than that of the other.
    pub successor: u32,
    /// Which part of its time the other has run by then, from 0 to 1, wherever it runs.
    pub part: f32,
}

/// An EDT, or a join: that has no times, and is over as soon as all that it waits for is.
#[derive(Clone, Default, Debug)]
pub struct Task {
    /// The number of its template. EDTs of one template whose blocks have as many bytes are alike to a policy.
    pub template: u32,
    /// Its priority hint.
    pub priority: u64,
    /// Nanoseconds that its variant takes in each place, the host first; none where it has no variant.
    pub ns: Vec<Option<u64>>,
    /// Its blocks.
    pub blocks: Vec<Uses>,
    /// The numbers of the EDTs that wait for its end; all are larger than its own.
    pub successors: Vec<u32>,
    /// The EDTs that wait for what it does before.
    pub during: Vec<During>,
}

impl Task {
    /// Whether it is a join.
    pub fn is_join(&self) -> bool {
        self.ns.is_empty()
    }
}

/// EDTs and the blocks that they use.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    /// The EDTs, each before those that wait for it.
    pub tasks: Vec<Task>,
    /// The blocks. All are in the host's memory first.
    pub blocks: Vec<Block>,
    /// How many templates there are.
    pub templates: u32,
}

impl Graph {
    /// For each EDT, how many it waits for. The error is for people, and says what is not so.
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
            if task.is_join() && !task.during.is_empty() {
                return Err(format!(
                    "the join {number} has no body in which it does something"
                ));
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

/// A device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Device {
    /// Nanoseconds of a copy of a few bytes.
    pub latency_ns: f64,
    /// Bytes per second of a long copy.
    pub bandwidth: f64,
    /// Whether it uses the host's memory, and nothing is copied.
    pub shares_memory: bool,
}

/// A machine.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineModel {
    /// How many workers run C functions.
    pub workers: usize,
    /// The devices, in the order of the times of a [`Task`].
    pub devices: Vec<Device>,
}
