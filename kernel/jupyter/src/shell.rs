//! Requests of the shell channel, one after the other; questions about code ([`super::ask`]) do not wait for a cell.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use jupyter_protocol::{
    CommClose, ExecuteReply, ExecuteRequest, ExecutionCount, ExecutionState, JupyterMessage, JupyterMessageContent,
    ReplyStatus,
};
use jupyter_zmq_client::RouterSendConnection;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};
use uuid::Uuid;

use super::display_ids::Moved;
use super::engine::Engine;
use super::history::History;
use super::info;
use super::interact::Played;
use super::introspection::Introspection;
use super::lines::Writers;
use super::note::Notes;
use super::publish::{Publisher, answer};
use super::stale::Stale;
use super::stdin::Questions;
use super::wire::Incoming;
use workbench_base::names::NEXT_CELLS;
use workbench_eval::CellName;
use workbench_eval::compile_ahead::CompileAhead;

/// How many cells are looked at beyond the one that runs.
const FAR: usize = 16;

/// State of the shell channel.
pub struct Shell {
    pub(super) engine: Engine,
    pub(super) publisher: Publisher,
    pub(super) questions: Questions,
    pub(super) count: usize,
    pub(super) history: History,
    /// What rests on what.
    pub(super) stale: Stale,
    /// Where displays stand that cells made when they ran by themselves.
    pub(super) moved: Moved,
    /// The knobs of cells, by cell.
    pub(super) knob_cells: HashMap<String, Played>,
    /// What cells were computed with.
    pub(super) notes: Notes,
    /// Front ends that write the lines of knobs.
    pub(super) writers: Writers,
    /// What no other session of the kernel has: part of the ids of displays, which files keep.
    token: String,
    asks: Introspection,
    finished: Arc<Notify>,
}

/// Requests that came, and those that wait for the running cell.
struct Requests {
    queue: mpsc::UnboundedReceiver<Incoming>,
    waiting: VecDeque<Incoming>,
    /// How many of the first that wait were there when a cell failed, and when that was.
    behind_failure: (usize, DateTime<Utc>),
}

impl Requests {
    /// Whether a cell waits.
    fn has_cell(&mut self) -> bool {
        self.gather();
        let is_cell = |incoming: &Incoming| match incoming {
            Incoming::Message(message) => matches!(message.content, JupyterMessageContent::ExecuteRequest(_)),
            Incoming::Unreadable(..) => false,
        };
        self.waiting.iter().any(is_cell)
    }

    async fn next(&mut self) -> Option<Incoming> {
        match self.waiting.pop_front() {
            Some(incoming) => Some(incoming),
            None => self.queue.recv().await,
        }
    }

    fn gather(&mut self) {
        while let Ok(incoming) = self.queue.try_recv() {
            self.waiting.push_back(incoming);
        }
    }

    /// Notes what waits behind a cell that failed, before a front end hears of it: what it asks for then is meant to run.
    fn failed(&mut self) {
        self.gather();
        self.behind_failure = (self.waiting.len(), Utc::now());
    }

    /// The next request that waited behind the cell that failed, or was on its way meanwhile.
    fn next_behind_failure(&mut self) -> Option<Incoming> {
        let (waited, failed) = &mut self.behind_failure;
        if *waited > 0 {
            *waited -= 1;
            return self.waiting.pop_front();
        }
        match self.queue.try_recv() {
            Ok(incoming) if incoming.sent() < *failed => Some(incoming),
            Ok(incoming) => {
                self.waiting.push_back(incoming);
                None
            }
            Err(_) => None,
        }
    }

    /// Lets a cell run to its end, answers questions about code meanwhile, and tells which cells wait behind it.
    async fn beside<T>(
        &mut self,
        run: impl Future<Output = T>,
        (asks, ahead): (&Introspection, Option<&CompileAhead>),
        socket: &mut RouterSendConnection,
        running: &JupyterMessage,
    ) -> T {
        tokio::pin!(run);
        let tell = |waiting: &VecDeque<Incoming>| {
            if let Some(ahead) = ahead {
                ahead.expect(cells_to_come(running, waiting));
            }
        };
        tell(&self.waiting);
        loop {
            tokio::select! {
                biased;
                done = &mut run => return done,
                Some(incoming) = self.queue.recv() => {
                    if let Some(incoming) = asks.answer(incoming, socket, Some(running)).await {
                        self.waiting.push_back(incoming);
                        tell(&self.waiting);
                    }
                }
            }
        }
    }
}

/// The cell that runs and those that will run after it, if all goes well: requests that wait, or where none do, what the front end
/// says that it will ask for next.
fn cells_to_come(running: &JupyterMessage, waiting: &VecDeque<Incoming>) -> Vec<String> {
    let JupyterMessageContent::ExecuteRequest(request) = &running.content else {
        return Vec::new();
    };
    let mut cells = vec![request.code.clone()];
    if asks_more(request) {
        return cells;
    }
    for incoming in waiting {
        match incoming {
            Incoming::Message(message) => match &message.content {
                JupyterMessageContent::ExecuteRequest(request) => {
                    cells.push(request.code.clone());
                    if asks_more(request) || cells.len() > FAR {
                        return cells;
                    }
                }
                // A knob runs its cell, and after a shutdown nothing runs.
                JupyterMessageContent::CommMsg(_) | JupyterMessageContent::ShutdownRequest(_) => return cells,
                _ => {}
            },
            Incoming::Unreadable(..) => {}
        }
    }
    if cells.len() == 1 {
        let told = running.metadata.get(NEXT_CELLS).and_then(Value::as_array);
        let told = told.into_iter().flatten().filter_map(Value::as_str);
        cells.extend(told.take(FAR).map(str::to_owned));
    }
    cells
}

/// Whether a request has expressions of its own, which are cells too.
fn asks_more(request: &ExecuteRequest) -> bool {
    request.user_expressions.iter().flatten().next().is_some()
}

impl Shell {
    /// A shell that evaluates with `engine` and tells `finished` when a client asks for shutdown.
    pub fn new(engine: Engine, publisher: Publisher, questions: Questions, finished: Arc<Notify>) -> Shell {
        Shell {
            asks: Introspection::new(engine.language().clone(), publisher.clone()),
            engine,
            publisher,
            questions,
            count: 0,
            history: History::default(),
            stale: Stale::default(),
            moved: Moved::default(),
            knob_cells: HashMap::new(),
            notes: Notes::default(),
            writers: Writers::default(),
            token: Uuid::new_v4().simple().to_string()[..8].to_owned(),
            finished,
        }
    }

    /// What the ids of a cell's outputs begin with.
    pub(super) fn run_id(&self, name: &CellName) -> String {
        format!("{}-{}-{}", name.id, name.count, self.token)
    }

    /// Serves requests until the queue closes.
    pub async fn serve(mut self, requests: mpsc::UnboundedReceiver<Incoming>, mut socket: RouterSendConnection) {
        let mut requests = Requests { queue: requests, waiting: VecDeque::new(), behind_failure: Default::default() };
        while let Some(incoming) = self.next(&mut requests).await {
            if !self.handle(incoming, &mut requests, &mut socket, false).await {
                // After a failure, cells that already waited are not run.
                while let Some(incoming) = requests.next_behind_failure() {
                    self.handle(incoming, &mut requests, &mut socket, true).await;
                }
            }
        }
    }

    /// The next request. Front ends that do not answer meanwhile are given up.
    async fn next(&mut self, requests: &mut Requests) -> Option<Incoming> {
        while let Some(until) = self.writers.until() {
            match tokio::time::timeout_at(until.into(), requests.next()).await {
                Ok(incoming) => return incoming,
                Err(_) => self.lines_unanswered(),
            }
        }
        requests.next().await
    }

    /// Answers one request; false when waiting cells must not run. With `abort` no cell is run.
    async fn handle(
        &mut self,
        incoming: Incoming,
        requests: &mut Requests,
        socket: &mut RouterSendConnection,
        abort: bool,
    ) -> bool {
        let Some(incoming) = self.asks.answer(incoming, socket, None).await else {
            return true;
        };
        let message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Unreadable(message, why) => {
                eprintln!("refused {} on the shell channel: {why}", message.header.msg_type);
                self.publisher.status(ExecutionState::Busy, &message);
                let reply = info::failed(&message.header.msg_type, "BadRequest", &why);
                answer(socket, reply, &message).await;
                self.publisher.status(ExecutionState::Idle, &message);
                return true;
            }
        };
        let mut go_on = true;
        self.publisher.status(ExecutionState::Busy, &message);
        match &message.content {
            JupyterMessageContent::ExecuteRequest(_) if abort => {
                let reply = ExecuteReply {
                    status: ReplyStatus::Aborted,
                    execution_count: ExecutionCount::new(self.count),
                    user_expressions: Some(Default::default()),
                    ..ExecuteReply::default()
                };
                answer(socket, reply, &message).await;
            }
            JupyterMessageContent::ExecuteRequest(request) => {
                self.engine.interrupts().begin();
                let (asks, ahead) = (self.asks.clone(), self.engine.ahead().clone());
                let reply =
                    requests.beside(self.execute(request, &message), (&asks, Some(&ahead)), socket, &message).await;
                self.engine.interrupts().end();
                go_on = reply.status == ReplyStatus::Ok || !request.stop_on_error;
                if !go_on {
                    requests.failed();
                }
                answer(socket, reply, &message).await;
                // Of several cells that were asked for, the last one is followed.
                if go_on && !requests.has_cell() {
                    self.engine.interrupts().begin();
                    requests.beside(self.follow(&message), (&asks, None), socket, &message).await;
                    self.engine.interrupts().end();
                }
            }
            JupyterMessageContent::KernelInfoRequest(_) => answer(socket, info::kernel_info(), &message).await,
            JupyterMessageContent::HistoryRequest(request) => {
                let reply = super::wire::unknown("history_reply", self.history.reply(request));
                answer(socket, reply, &message).await;
            }
            JupyterMessageContent::CommInfoRequest(request) => {
                let reply = self.comm_info(request.target_name.as_deref());
                answer(socket, reply, &message).await;
            }
            JupyterMessageContent::CommOpen(open) => {
                // The specification asks to close what cannot be served.
                if !self.offers_lines(open, &message) {
                    let close = CommClose { comm_id: open.comm_id.clone(), data: Default::default() };
                    self.publisher.publish(close, &message);
                }
            }
            JupyterMessageContent::CommMsg(request) => {
                if !self.heard_lines(request, &message)
                    && let Some(turned) = self.comm(request, &message)
                {
                    self.engine.interrupts().begin();
                    let asks = self.asks.clone();
                    let run = async {
                        // The place for everything else says why a cell failed.
                        let _ = self.turn(turned, &message).await;
                        self.follow(&message).await;
                    };
                    requests.beside(run, (&asks, None), socket, &message).await;
                    self.engine.interrupts().end();
                }
            }
            // The cell of a knob goes on without it.
            JupyterMessageContent::CommClose(close) => {
                self.writers.close(&close.comm_id.0);
            }
            JupyterMessageContent::DebugRequest(request) => answer(socket, info::debug_reply(request), &message).await,
            JupyterMessageContent::ShutdownRequest(request) => {
                let reply = info::shutdown_reply(request.restart);
                self.publisher.publish(reply.clone(), &message);
                answer(socket, reply, &message).await;
                self.finished.notify_one();
            }
            other => eprintln!("no answer to {} on the shell channel", other.message_type()),
        }
        self.publisher.status(ExecutionState::Idle, &message);
        go_on
    }
}

#[cfg(test)]
mod tests {
    use jupyter_protocol::JupyterMessage;

    use super::*;

    fn cell(code: &str) -> JupyterMessage {
        JupyterMessage::new(ExecuteRequest::new(code.to_string()), None)
    }

    fn code(incoming: Option<Incoming>) -> Option<String> {
        match incoming? {
            Incoming::Message(message) => match message.content {
                JupyterMessageContent::ExecuteRequest(request) => Some(request.code),
                _ => None,
            },
            Incoming::Unreadable(..) => None,
        }
    }

    #[test]
    fn a_cell_that_is_asked_for_after_a_failure_is_not_abandoned_with_those_before() {
        let (send, queue) = mpsc::unbounded_channel();
        let mut requests = Requests { queue, waiting: VecDeque::new(), behind_failure: Default::default() };
        let put = |message: JupyterMessage| assert!(send.send(Incoming::Message(Box::new(message))).is_ok());
        put(cell("waited"));
        let on_its_way = cell("on its way");
        requests.failed();
        put(on_its_way);
        put(cell("after the answer"));
        assert_eq!(code(requests.next_behind_failure()).as_deref(), Some("waited"));
        assert_eq!(code(requests.next_behind_failure()).as_deref(), Some("on its way"));
        assert_eq!(code(requests.next_behind_failure()), None);
        assert_eq!(code(requests.waiting.pop_front()).as_deref(), Some("after the answer"));
    }
}
