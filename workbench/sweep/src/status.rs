//! Status of a sweep, by what lies in its folder.

use std::path::Path;

use workbench_record::words::count;

use crate::error::{Error, Result};
use crate::plan::{Plan, shards_folder};
use crate::shard::Shard;

/// How one shard stands.
#[derive(Debug)]
#[non_exhaustive]
pub enum State {
    /// There and sound.
    Done {
        /// Seconds from start to end.
        seconds: f64,
        /// Where.
        host: String,
    },
    /// So many of its tasks were kept by a process that computes it, or was stopped.
    Part {
        /// Tasks kept.
        tasks: usize,
        /// Of how many.
        of: usize,
    },
    /// Not begun, or nothing kept yet.
    Missing,
    /// A file that cannot be used.
    Unsound(Error),
}

/// The state of every shard, in order.
///
/// # Errors
/// None but those of reading the folder; what is wrong with a shard is its state.
pub fn states(plan: &Plan, folder: &Path) -> Result<Vec<State>> {
    const OP: &str = "sweep status";
    let one = |index: u64| match Shard::read(plan, index, folder, OP) {
        Ok(Some(shard)) => State::Done { seconds: shard.facts.wall, host: shard.facts.machine.host },
        Ok(None) => match Shard::read_part(plan, index, folder) {
            Some(part) => State::Part { tasks: part.facts.tasks.len(), of: plan.tasks_of(index).len() },
            None => State::Missing,
        },
        Err(error) => State::Unsound(error),
    };
    let shards = shards_folder(folder);
    if !shards.is_dir() {
        return Err(Error::io(OP, &shards, std::io::ErrorKind::NotFound.into()));
    }
    Ok((0..plan.shards).map(one).collect())
}

/// The shards that have to be computed: those that are not there and sound.
pub fn missing(states: &[State]) -> Vec<u64> {
    let open = |(_, state): &(u64, &State)| !matches!(state, State::Done { .. });
    (0..).zip(states).filter(open).map(|(index, _)| index).collect()
}

/// Numbers as Slurm and people write them: `0-2,5`.
pub fn ranges(numbers: &[u64]) -> String {
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => spans.push((*number, *number)),
        }
    }
    let text = |(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    spans.iter().map(text).collect::<Vec<_>>().join(",")
}

/// How the sweep stands, in lines.
pub fn report(plan: &Plan, folder: &Path, states: &[State]) -> String {
    let mut lines = vec![format!("{} ({})", plan.words(), folder.display())];
    let (mut seconds, mut hosts) = (Vec::new(), Vec::new());
    for (index, state) in states.iter().enumerate() {
        match state {
            State::Done { seconds: took, host } => {
                seconds.push(*took);
                hosts.push(host.clone());
            }
            State::Part { tasks, of } => lines.push(format!("  shard {index}: {tasks} of {of} tasks kept")),
            State::Unsound(error) => lines.push(format!("  shard {index}: {error}")),
            State::Missing => (),
        }
    }
    let open = missing(states);
    if !seconds.is_empty() {
        hosts.sort();
        hosts.dedup();
        let most = seconds.iter().fold(0.0f64, |a, b| a.max(*b));
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        lines.push(format!(
            "  {} done on {}, {mean:.1} s each in mean, {most:.1} s at most",
            count(seconds.len(), "shard"),
            hosts.join(", ")
        ));
        if !open.is_empty() {
            lines.push(format!("  about {:.0} s of computing are left", mean * open.len() as f64));
        }
    }
    lines.push(match open.len() {
        0 => "  all shards are done; `sweep merge` makes one table of them".into(),
        left => format!("  {} to compute: {}", count(left, "shard"), ranges(&open)),
    });
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_written_as_ranges() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[3]), "3");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
    }
}
