//! Standard input and output as the SDK's transport: one message a line, bounded,
//! and an answer to every line that somebody may wait for. At the end of the
//! input what was asked is still answered.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::message::{self, Looked, MAX_BYTES};

/// Messages that wait to be taken or written at most.
const WAITING: usize = 64;
/// Bytes of a line that is too long which are looked at for its id.
const BEGINNING: usize = 64 * 1024;

/// A line to be written, and who wants to know that it was.
type Outgoing = (Vec<u8>, Option<oneshot::Sender<io::Result<()>>>);

/// The transport.
pub(super) struct Lines {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    out: Option<mpsc::Sender<Outgoing>>,
    asked: Arc<Asked>,
    reader: JoinHandle<()>,
    writer: Option<JoinHandle<()>>,
}

impl Lines {
    /// Begins to read and to write.
    pub fn over(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let (to_server, messages) = mpsc::channel(WAITING);
        let (out, to_write) = mpsc::channel(WAITING);
        let asked = Arc::new(Asked::default());
        let reader =
            Reader { to_server, out: out.clone(), asked: Arc::clone(&asked), begun: false };
        Self {
            messages,
            out: Some(out),
            asked,
            reader: tokio::spawn(reader.read(input)),
            writer: Some(tokio::spawn(write(output, to_write))),
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (out, asked) = (self.out.clone(), Arc::clone(&self.asked));
        async move {
            let line = serde_json::to_vec(&item)?;
            let out = out.ok_or_else(closed)?;
            let (tell, told) = oneshot::channel();
            out.send((line, Some(tell))).await.map_err(|_| closed())?;
            told.await.map_err(|_| closed())??;
            match &item {
                JsonRpcMessage::Response(response) => asked.answered(&response.id),
                JsonRpcMessage::Error(error) => {
                    error.id.iter().for_each(|id| asked.answered(id));
                }
                _ => {}
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if let Some(message) = self.messages.recv().await {
            return Some(message);
        }
        self.asked.all_answered().await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.reader.abort();
        self.messages.close();
        self.out = None;
        match self.writer.take() {
            Some(writer) => writer.await.map_err(io::Error::other),
            None => Ok(()),
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "standard output is closed")
}

/// The requests that were taken and are not answered.
#[derive(Default)]
struct Asked {
    ids: Mutex<HashSet<RequestId>>,
    changed: Notify,
}

impl Asked {
    fn with<T>(&self, change: impl FnOnce(&mut HashSet<RequestId>) -> T) -> T {
        change(&mut self.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes in what a message from the client means for what is owed.
    fn take_in(&self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.with(|ids| ids.insert(request.id.clone()));
            }
            // What was called off is not answered.
            JsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification {
                    cancelled.params.request_id.iter().for_each(|id| self.answered(id));
                }
            }
            _ => {}
        }
    }

    fn answered(&self, id: &RequestId) {
        self.with(|ids| ids.remove(id));
        self.changed.notify_waiters();
    }

    async fn all_answered(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // It hears what comes from here on.
            changed.as_mut().enable();
            if self.with(|ids| ids.is_empty()) {
                return;
            }
            changed.await;
        }
    }
}

/// What reads the input, line by line.
struct Reader {
    to_server: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    out: mpsc::Sender<Outgoing>,
    asked: Arc<Asked>,
    /// Whether a request was seen: the SDK ends where a connection begins with
    /// anything else.
    begun: bool,
}

impl Reader {
    async fn read(mut self, input: impl AsyncRead + Send + Unpin) {
        let mut input = BufReader::with_capacity(BEGINNING, input);
        let mut line = Vec::new();
        loop {
            line.clear();
            let goes_on = match next_line(&mut input, &mut line, MAX_BYTES).await {
                Ok(0) => return,
                Ok(bytes) if bytes > MAX_BYTES => {
                    let beginning = &line[..line.len().min(BEGINNING)];
                    self.answer(&message::too_long(beginning, bytes)).await
                }
                Ok(_) => self.line(&line).await,
                Err(error) => {
                    tracing::error!("standard input cannot be read: {error}");
                    return;
                }
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Takes a line in; whether there is somebody left to take the next one.
    async fn line(&mut self, line: &[u8]) -> bool {
        match message::look(line) {
            Looked::Nothing => true,
            Looked::Wrong(answer) => self.answer(&answer).await,
            Looked::Message(message) => {
                self.begun |= matches!(*message, JsonRpcMessage::Request(_));
                if !self.begun {
                    return true;
                }
                self.asked.take_in(&message);
                self.to_server.send(*message).await.is_ok()
            }
        }
    }

    async fn answer(&self, answer: &serde_json::Value) -> bool {
        self.out.send((answer.to_string().into_bytes(), None)).await.is_ok()
    }
}

/// Reads a line and says how many bytes it has, its end left out of the bound;
/// 0 at the end of the input. Of a line that is longer than `most` only the
/// beginning is kept.
async fn next_line(
    input: &mut BufReader<impl AsyncRead + Unpin>,
    line: &mut Vec<u8>,
    most: usize,
) -> io::Result<usize> {
    let mut bytes = 0;
    loop {
        let piece = input.fill_buf().await?;
        let end = memchr::memchr(b'\n', piece);
        let length = end.unwrap_or(piece.len());
        let keep = length.min(most.saturating_sub(line.len()));
        line.extend_from_slice(&piece[..keep]);
        bytes += length;
        let at_end = piece.is_empty();
        input.consume(length + usize::from(end.is_some()));
        if end.is_some() {
            // An empty line is no end of the input.
            return Ok(bytes.max(1));
        }
        if at_end {
            return Ok(bytes);
        }
    }
}

/// Writes lines, each whole, until nobody has another.
async fn write(mut output: impl AsyncWrite + Send + Unpin, mut lines: mpsc::Receiver<Outgoing>) {
    while let Some((mut line, tell)) = lines.recv().await {
        line.push(b'\n');
        let written = match output.write_all(&line).await {
            Ok(()) => output.flush().await,
            Err(error) => Err(error),
        };
        let failed = written.is_err();
        if let Some(tell) = tell {
            // Who asked may have gone.
            let _ = tell.send(written);
        }
        if failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines_of(input: &[u8], most: usize) -> Vec<(usize, Vec<u8>)> {
        // A small buffer, so that lines are put together from pieces.
        let mut input = BufReader::with_capacity(4, input);
        let mut out = Vec::new();
        loop {
            let mut line = Vec::new();
            match next_line(&mut input, &mut line, most).await.expect("read") {
                0 => return out,
                bytes => out.push((bytes, line)),
            }
        }
    }

    #[tokio::test]
    async fn lines_are_bounded_and_the_last_one_needs_no_end() {
        let read = lines_of(b"one\n\n123456789012\nlast", 10).await;
        let whole = |text: &str| (text.len(), text.as_bytes().to_vec());
        assert_eq!(
            read,
            [whole("one"), (1, Vec::new()), (12, b"1234567890".to_vec()), whole("last")]
        );
    }

    #[tokio::test]
    async fn the_end_of_the_input_waits_for_what_was_asked() {
        let input: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\
            {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nnonsense\n";
        let (ours, theirs) = tokio::io::duplex(4096);
        let mut transport = Lines::over(input, theirs);
        // What comes before the first request is passed over.
        let first = transport.receive().await.expect("the request");
        let JsonRpcMessage::Request(request) = first else { panic!("{first:?}") };
        let wait = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(wait, transport.receive()).await.is_err(), "it waits");
        let answer = rmcp::model::ErrorData::internal_error("no", None);
        let answer = TxJsonRpcMessage::<RoleServer>::error(answer, Some(request.id));
        transport.send(answer).await.expect("written");
        assert!(transport.receive().await.is_none());
        transport.close().await.expect("closed");
        drop(transport);
        let mut told = String::new();
        let mut ours = BufReader::new(ours);
        while ours.read_line(&mut told).await.expect("read") > 0 {}
        assert_eq!(told.lines().count(), 2, "{told}");
        assert!(told.contains("-32700") && told.contains("\"id\":null"), "{told}");
    }
}
