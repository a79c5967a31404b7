//! Measures one kernel over several sessions, through the runner's own client.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jupyter_protocol::JupyterMessageContent;
use jupyter_protocol::media::{Media, MediaType};
use workbench_base::error::Result;
use workbench_client::{Client, KernelCommand, Outcome};

/// One cell of a benchmark.
#[derive(Clone, Debug)]
pub struct BenchCell {
    /// Cell id.
    pub id: String,
    /// Source text.
    pub code: String,
    /// Whether the cell shows an error on purpose.
    pub may_fail: bool,
    /// Whether its own work takes seconds (tag `computes`): its time is listed, and says nothing about the kernel.
    pub computes: bool,
}

/// What one kernel is given.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name in the table.
    pub name: &'static str,
    /// How to start it.
    pub command: KernelCommand,
    /// Cells, top to bottom. The first one loads.
    pub cells: Vec<BenchCell>,
    /// The cell that loads, alone.
    pub load: String,
    /// The first `let`.
    pub first_let: String,
    /// Longest time for a cell.
    pub limit: Duration,
}

/// Times of one kernel, in seconds, over all sessions.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Start of the process to the first answer.
    pub start: Vec<f64>,
    /// Start of the process to the first table.
    pub first_table: Vec<f64>,
    /// The first `let` after loading.
    pub first_let: Vec<f64>,
    /// Cells after the first, everything loaded.
    pub warm: Vec<f64>,
    /// Time in all warm cells, by cell id, of the slowest ones.
    pub by_cell: Vec<(String, f64)>,
    /// Time in the cells that compute for seconds, by cell id.
    pub computing: Vec<(String, f64)>,
    /// Cells that failed, with their message.
    pub failed: Vec<(String, String)>,
}

/// Runs `repeats` sessions over all cells and as many over the first `let`.
pub async fn measure(subject: &Subject, repeats: usize) -> Result<Times> {
    let mut times = Times::default();
    for _ in 0..repeats {
        whole(subject, &mut times).await?;
        first_let(subject, &mut times).await?;
    }
    times.by_cell.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(times)
}

async fn whole(subject: &Subject, times: &mut Times) -> Result<()> {
    let started = Instant::now();
    let mut client = Client::start(&subject.command, Duration::from_secs(120)).await?;
    times.start.push(started.elapsed().as_secs_f64());
    let mut first_table = None;
    for (number, cell) in subject.cells.iter().enumerate() {
        let id = &cell.id;
        let mut each = |content: &JupyterMessageContent| {
            if first_table.is_none() && shows_table(content) {
                first_table = Some(started.elapsed().as_secs_f64());
            }
        };
        let executed = client.execute(&cell.code, id, Some(subject.limit), &mut each).await?;
        let failure = match executed.outcome {
            Outcome::Ok => None,
            Outcome::Error { .. } if cell.may_fail => None,
            Outcome::Error { name, message } => Some(format!("{name}: {message}")),
            other => {
                times.failed.push((id.clone(), format!("{other:?}")));
                break;
            }
        };
        match failure {
            Some(message) => times.failed.push((id.clone(), message)),
            None if cell.computes => times.computing.push((id.clone(), executed.seconds)),
            None if number > 0 => {
                times.warm.push(executed.seconds);
                times.by_cell.push((id.clone(), executed.seconds));
            }
            None => {}
        }
    }
    times.first_table.extend(first_table);
    client.shutdown().await;
    Ok(())
}

async fn first_let(subject: &Subject, times: &mut Times) -> Result<()> {
    let mut client = Client::start(&subject.command, Duration::from_secs(120)).await?;
    let limit = Some(subject.limit);
    let loaded = client.execute(&subject.load, "load", limit, &mut |_| ()).await?;
    let executed = client.execute(&subject.first_let, "let", limit, &mut |_| ()).await?;
    for (id, outcome) in [("load", loaded.outcome), ("let", executed.outcome.clone())] {
        if outcome != Outcome::Ok {
            times.failed.push((id.into(), format!("{outcome:?}")));
        }
    }
    if executed.outcome == Outcome::Ok {
        times.first_let.push(executed.seconds);
    }
    client.shutdown().await;
    Ok(())
}

/// Runs a cell in a fresh session and returns what it printed.
pub async fn printed(subject: &Subject, code: &str) -> Result<(Outcome, String)> {
    let mut client = Client::start(&subject.command, Duration::from_secs(120)).await?;
    let limit = Some(subject.limit);
    client.execute(&subject.load, "load", limit, &mut |_| ()).await?;
    let mut text = String::new();
    let executed = client
        .execute(code, "printed", limit, &mut |content| {
            if let JupyterMessageContent::StreamContent(stream) = content {
                text.push_str(&stream.text);
            }
        })
        .await?;
    client.shutdown().await;
    Ok((executed.outcome, text))
}

/// How many cells of a session tell when they begin.
const TELLING: usize = 12;

/// Seconds from the request of a cell to the begin of its code, in `repeats` sessions with the same cells.
///
/// # Errors
/// The kernel does not start, or does not answer.
pub async fn until_begun(subject: &Subject, repeats: usize) -> Result<Vec<f64>> {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let mut waits = Vec::new();
    for _ in 0..repeats {
        let mut client = Client::start(&subject.command, Duration::from_secs(120)).await?;
        let limit = Some(subject.limit);
        client.execute(&subject.load, "load", limit, &mut |_| ()).await?;
        for number in 0..TELLING {
            let code = format!(
                "println!(\"{{}}\", std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64());\n\
                 let told{number} = {number};"
            );
            let (sent, mut text) = (now(), String::new());
            let mut each = |content: &JupyterMessageContent| {
                if let JupyterMessageContent::StreamContent(stream) = content {
                    text.push_str(&stream.text);
                }
            };
            client.execute(&code, "begin", limit, &mut each).await?;
            waits.extend(text.trim().parse::<f64>().ok().map(|begun| begun - sent));
        }
        client.shutdown().await;
    }
    Ok(waits)
}

fn shows_table(content: &JupyterMessageContent) -> bool {
    let has_table = |media: &Media| {
        media.content.iter().any(|part| match part {
            MediaType::Html(text) => text.contains("<table"),
            _ => false,
        })
    };
    match content {
        JupyterMessageContent::DisplayData(shown) => has_table(&shown.data),
        JupyterMessageContent::ExecuteResult(result) => has_table(&result.data),
        _ => false,
    }
}

/// The value below which a share `q` of the values lies (nearest rank); `None` without values.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_kernel;
    use workbench_client::{Interrupt, Transport};

    #[test]
    fn quantiles_are_values_that_occurred() {
        let values = [3.0, 1.0, 2.0, 4.0];
        assert_eq!(quantile(&values, 0.5), Some(2.0));
        assert_eq!(quantile(&values, 0.95), Some(4.0));
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_session_is_timed_and_its_failures_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cell = |id: &str, code: &str| BenchCell {
            id: id.to_string(),
            code: code.to_string(),
            may_fail: id == "e",
            computes: false,
        };
        let subject = Subject {
            name: "fake",
            command: KernelCommand {
                argv: fake_kernel::argv("fake_kernel::process"),
                folder: folder.path().to_path_buf(),
                environment: Vec::new(),
                interrupt: Interrupt::Message,
                transport: Transport::TCP,
                log: Some(folder.path().join("log")),
            },
            cells: vec![
                cell("a", "print load"),
                cell("b", "sleep 0.2"),
                cell("c", "error no"),
                cell("d", "table x"),
                cell("e", "error on purpose"),
            ],
            load: "print load".into(),
            first_let: "sleep 0.1".into(),
            limit: Duration::from_secs(20),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let times = runtime.block_on(measure(&subject, 2)).unwrap();
        assert_eq!((times.start.len(), times.warm.len()), (2, 6));
        assert_eq!(times.by_cell[0].0, "b");
        assert!(times.first_let.iter().all(|seconds| *seconds >= 0.1));
        assert!(times.first_table.iter().all(|seconds| *seconds >= 0.2));
        assert_eq!(times.first_table.len(), 2);
        assert_eq!(times.failed.len(), 2);
        assert!(times.failed[0].1.contains("no"));
        let (outcome, text) = runtime.block_on(printed(&subject, "print 1.5")).unwrap();
        assert_eq!((outcome, text.trim()), (Outcome::Ok, "1.5"));
    }
}
