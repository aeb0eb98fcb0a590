//! Whether a launcher has started this process, which one, and how many processes it has started. A launcher tells by
//! variables of the environment.
//!
//! | launcher | variables | which plug-in suits |
//! |---|---|---|
//! | Open MPI's `mpirun` | `OMPI_COMM_WORLD_SIZE`, `OMPI_COMM_WORLD_RANK` | Open MPI's |
//! | PALS, as `aprun` and `mpiexec` of HPE | `PALS_RANKID`, and `PMI_SIZE` where it says that | the one that is there |
//! | ALPS, the former `aprun` | `ALPS_APP_PE`, and `PMI_SIZE` where it says that | the one that is there |
//! | SLURM's `srun` | `SLURM_STEP_ID`, `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS` | the one that is there |
//! | Hydra, which is `mpirun` of MPICH and of Intel | `PMI_SIZE`, `PMI_RANK` | MPICH's |
//! | others with PMIx, as `prun` | `PMIX_RANK`; the number of processes is MPI's to say | the one that is there |
//!
//! `mpirun` in an allocation of SLURM starts its processes by way of `srun`, so the variables of both are there. So
//! those of `srun` count last but for PMIx, which says the least. `srun --mpi=pmi2` sets `PMI_SIZE` too, as Hydra does.
//! The script of a batch job has `SLURM_NTASKS`, but is no step that was launched: it has no number of a step, or one
//! of those that SLURM keeps for itself.
//!
//! A process that an OCR program starts inherits the variables. Its rank is its parent's already, and MPI would fail or
//! hang. So a process that begins a run, with others or alone, writes its launch and rank into the variable [`USED`]. A
//! child finds them there. A launcher that a program calls makes another launch, and what it starts may join.

use crate::link::KNOWN;
use std::fs;

/// The variable by which children learn which rank of which launch is used.
const USED: &str = "OCR_JOINED_AS";

/// What has started the processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Launcher {
    OpenMpi,
    Pals,
    Alps,
    Hydra,
    Slurm,
    Pmix,
}

impl Launcher {
    /// What people call it, with the variable that has shown it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Launcher::OpenMpi => "Open MPI's mpirun (OMPI_COMM_WORLD_SIZE)",
            Launcher::Pals => "PALS (PALS_RANKID)",
            Launcher::Alps => "ALPS (ALPS_APP_PE)",
            Launcher::Hydra => "MPICH's mpirun, or another with PMI (PMI_SIZE)",
            Launcher::Slurm => "SLURM's srun (SLURM_STEP_ID)",
            Launcher::Pmix => "a launcher with PMIx (PMIX_RANK)",
        }
    }

    /// The plug-ins that may suit, by the names in the names of their files.
    pub(crate) fn plugins(self) -> &'static [&'static str] {
        match self {
            Launcher::OpenMpi => &["openmpi"],
            Launcher::Hydra => &["mpich"],
            _ => KNOWN,
        }
    }
}

/// A process that a launcher has started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LaunchedProcess {
    pub(crate) launcher: Launcher,
    /// How many processes there are, where the launcher says that.
    pub(crate) size: Option<u32>,
    pub(crate) rank: u32,
    /// Its number among the processes of its machine, under a launcher that lets the others be when a process ends with
    /// an error before it has called MPI.
    local: Option<u32>,
    /// What names the launch and the rank.
    identity: String,
}

impl LaunchedProcess {
    /// Whether there are other processes, as far as the launcher says.
    pub(crate) fn may_have_others(&self) -> bool {
        self.size != Some(1)
    }

    /// Whether this process prints why it cannot join. Under most launchers each may: rank 0 is the first, and the
    /// launcher then ends the others. Under one that lets them be, only the first process of each machine prints.
    pub(crate) fn prints_errors(&self) -> bool {
        self.rank == 0 || self.local.is_none_or(|local| local == 0)
    }

    /// Whether this launch, or the rank in it, is another one than that of a process above, which has used it.
    fn is_other_than(&self, used: &str) -> bool {
        self.identity != used && !self.identity.contains(CLOSED)
    }
}

/// The launch of this process; none where it was started without a launcher, or where another process has used its
/// rank.
pub(crate) fn find() -> Option<LaunchedProcess> {
    let found = find_in(
        |name| std::env::var(name).ok().filter(|text| !text.is_empty()),
        |fd| fs::read_link(format!("/proc/self/fd/{fd}")).ok().map(|file| file.display().to_string()),
    );
    let used = std::env::var(USED).ok();
    found.filter(|launch| used.is_none_or(|used| launch.is_other_than(&used)))
}

/// Whether a process has used its rank: this one, or one above it.
pub(crate) fn is_any_used() -> bool {
    std::env::var_os(USED).is_some()
}

/// Has the processes that this one starts find that its rank is used, if there are others of the launch.
///
/// # Safety
/// No other thread reads or writes the environment meanwhile.
pub(crate) unsafe fn note_used() {
    if let Some(launch) = find().filter(LaunchedProcess::may_have_others) {
        // SAFETY: the caller promises what the call asks for.
        unsafe { std::env::set_var(USED, &launch.identity) };
    }
}

/// Stands for a connection to the launcher that is closed: below a process that has used its rank, it was that one's.
const CLOSED: &str = "closed";

/// Steps that SLURM itself makes have numbers from here on: that of the batch script, and the interactive one.
const FIRST_OWN_STEP: u32 = 0xffff_fff0;

/// [`find`], with what gives the value of a variable, and the file of a descriptor.
fn find_in(get: impl Fn(&str) -> Option<String>, file: impl Fn(&str) -> Option<String>) -> Option<LaunchedProcess> {
    let number = |name: &str| get(name)?.trim().parse::<u32>().ok();
    let words = |names: &[&str]| names.iter().map(|name| get(name).unwrap_or_default()).collect::<Vec<_>>().join("/");
    let launch = |launcher, size, rank: Option<u32>, identity: String| {
        let rank = rank?;
        let local = match launcher {
            // `srun --mpi=pmi2` looks like Hydra.
            Launcher::Hydra => number("MPI_LOCALRANKID").or_else(|| number("SLURM_LOCALID")),
            Launcher::Slurm => number("SLURM_LOCALID"),
            Launcher::OpenMpi | Launcher::Pals | Launcher::Alps | Launcher::Pmix => None,
        };
        Some(LaunchedProcess { launcher, size, rank, local, identity: format!("{launcher:?}/{identity}/{rank}") })
    };
    let pmi_size = || number("PMI_SIZE");
    // The connection that the launcher has made for this process alone, or the address for one.
    let pmi = || match get("PMI_FD") {
        Some(fd) => file(&fd).filter(|file| file.starts_with("socket:")).unwrap_or_else(|| CLOSED.to_string()),
        None => words(&["PMI_PORT", "PMI_ID", "PMI_JOBID"]),
    };
    let open_mpi = || {
        let size = number("OMPI_COMM_WORLD_SIZE")?;
        let identity = words(&["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMIX_SERVER_URI2"]);
        launch(Launcher::OpenMpi, Some(size), number("OMPI_COMM_WORLD_RANK"), identity)
    };
    let pals = || launch(Launcher::Pals, pmi_size(), number("PALS_RANKID"), words(&["PALS_APID"]));
    let alps = || launch(Launcher::Alps, pmi_size(), number("ALPS_APP_PE"), words(&["ALPS_APP_ID"]));
    let hydra = || launch(Launcher::Hydra, Some(pmi_size()?), number("PMI_RANK"), pmi());
    let slurm = || {
        number("SLURM_STEP_ID").filter(|&step| step < FIRST_OWN_STEP)?;
        let size = number("SLURM_STEP_NUM_TASKS").or_else(|| number("SLURM_NTASKS"))?;
        let identity = words(&["SLURM_JOB_ID", "SLURM_STEP_ID"]);
        launch(Launcher::Slurm, Some(size), number("SLURM_PROCID"), identity)
    };
    let pmix = || launch(Launcher::Pmix, None, number("PMIX_RANK"), words(&["PMIX_NAMESPACE"]));
    let all: Vec<LaunchedProcess> = [open_mpi(), pals(), alps(), hydra(), slurm()].into_iter().flatten().collect();
    // One process of a launcher may itself be a launcher, which has started several.
    let several = all.iter().position(LaunchedProcess::may_have_others);
    // Other launchers use PMIx, too, and say more.
    all.into_iter().nth(several.unwrap_or(0)).or_else(pmix)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found where the environment has these variables, in `NAME=VALUE`, and descriptor 8 is a socket.
    fn found(variables: &[&str]) -> Option<LaunchedProcess> {
        let get = |name: &str| {
            let lines = variables.iter().filter_map(|line| line.split_once('='));
            lines.filter(|(other, _)| *other == name).map(|(_, value)| value.to_string()).next()
        };
        find_in(get, |fd| (fd == "8").then(|| "socket:[17]".to_string()))
    }

    fn what(variables: &[&str]) -> Option<(Launcher, Option<u32>, u32)> {
        found(variables).map(|launch| (launch.launcher, launch.size, launch.rank))
    }

    #[test]
    fn each_launcher_is_found() {
        let open_mpi = ["OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=3", "PMIX_RANK=3", "PMIX_NAMESPACE=7"];
        assert_eq!(what(&open_mpi), Some((Launcher::OpenMpi, Some(4), 3)));
        let hydra = ["PMI_SIZE=2", "PMI_RANK=1", "PMI_FD=8"];
        assert_eq!(what(&hydra), Some((Launcher::Hydra, Some(2), 1)));
        let srun = ["SLURM_STEP_ID=0", "SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8", "SLURM_NTASKS=64"];
        assert_eq!(what(&srun), Some((Launcher::Slurm, Some(8), 5)));
        assert_eq!(what(&["PMIX_RANK=2"]), Some((Launcher::Pmix, None, 2)));
        assert_eq!(what(&["PALS_RANKID=2", "PMI_SIZE=3", "PMI_RANK=2"]), Some((Launcher::Pals, Some(3), 2)));
        assert_eq!(what(&["ALPS_APP_PE=0"]), Some((Launcher::Alps, None, 0)));
    }

    #[test]
    fn a_batch_script_is_no_launch() {
        let batch = ["SLURM_JOB_ID=9", "SLURM_NTASKS=8", "SLURM_PROCID=0"];
        assert_eq!(found(&batch), None);
        let interactive = ["SLURM_STEP_ID=4294967290", "SLURM_PROCID=0", "SLURM_NTASKS=8"];
        assert_eq!(found(&interactive), None);
        assert_eq!(found(&["SLURM_STEP_ID=batch", "SLURM_PROCID=0", "SLURM_NTASKS=8"]), None);
    }

    #[test]
    fn what_is_no_launch_or_half_of_one_is_none() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&["OMPI_COMM_WORLD_SIZE=4"]), None);
        assert_eq!(found(&["PMI_SIZE=many", "PMI_RANK=0"]), None);
        assert_eq!(found(&["PMI_RANK=0"]), None);
        // What a user sets for later runs of Open MPI.
        assert_eq!(found(&["OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_MCA_btl=self"]), None);
    }

    #[test]
    fn the_launcher_with_several_processes_counts() {
        let inside = ["SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "PMI_SIZE=4", "PMI_RANK=2"];
        assert_eq!(what(&inside), Some((Launcher::Hydra, Some(4), 2)));
        let below_one = ["OMPI_COMM_WORLD_SIZE=1", "OMPI_COMM_WORLD_RANK=0", "PMI_SIZE=4", "PMI_RANK=2"];
        assert_eq!(what(&below_one), Some((Launcher::Hydra, Some(4), 2)));
        let one = ["OMPI_COMM_WORLD_SIZE=1", "OMPI_COMM_WORLD_RANK=0", "PMIX_RANK=0", "PMIX_NAMESPACE=7"];
        let one = found(&one).expect("a launcher");
        assert!(!one.may_have_others());
    }

    #[test]
    fn under_a_launcher_that_ends_nobody_one_process_of_a_machine_prints() {
        let prints = |variables: &[&str]| found(variables).expect("a launch").prints_errors();
        assert!(prints(&["PMI_SIZE=4", "PMI_RANK=0", "MPI_LOCALRANKID=1"]));
        assert!(prints(&["PMI_SIZE=4", "PMI_RANK=2", "MPI_LOCALRANKID=0"]));
        assert!(!prints(&["PMI_SIZE=4", "PMI_RANK=3", "MPI_LOCALRANKID=1"]));
        assert!(!prints(&["SLURM_STEP_ID=0", "SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8", "SLURM_LOCALID=1"]));
        assert!(prints(&["OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=3"]));
    }

    /// A launch is told from another by what names it, and so is a rank from another of the same launch.
    #[test]
    fn launches_and_ranks_differ() {
        let of = |variables: &[&str]| found(variables).expect("a launch").identity;
        let hydra = ["PMI_SIZE=2", "PMI_RANK=1", "PMI_FD=8"];
        assert_eq!(of(&hydra), of(&hydra));
        assert_ne!(of(&hydra), of(&["PMI_SIZE=2", "PMI_RANK=0", "PMI_FD=8"]));
        // A child that lacks the connection, or has another file in its place, does not join.
        let closed = found(&["PMI_SIZE=2", "PMI_RANK=1", "PMI_FD=9"]).expect("a launch");
        assert!(!closed.is_other_than(&of(&hydra)));
        assert!(
            found(&["PMI_SIZE=2", "PMI_RANK=1", "PMI_FD=8"]).expect("a launch").is_other_than("Hydra/socket:[3]/1")
        );
        let open_mpi = |namespace| of(&["OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=1", namespace]);
        assert_ne!(open_mpi("PMIX_NAMESPACE=1"), open_mpi("PMIX_NAMESPACE=2"));
    }
}
