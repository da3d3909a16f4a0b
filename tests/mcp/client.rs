//! rmcp's own client on the server of a workspace.

use std::path::Path;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{Peer, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Map, Value};

/// A client with a name.
pub struct Client {
    pub service: RunningService<RoleClient, ClientConfig>,
}

/// Runs a test that waits.
pub fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(test)
}

/// The server on a folder, with nothing of the machine's own around it.
pub fn command(root: &Path, more: &[(&str, &str)]) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_loopdeck"));
    let home = root.parent().expect("a parent").join("home");
    command
        .arg("mcp")
        .current_dir(root)
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        .envs(more.iter().copied());
    command
}

impl Client {
    pub async fn on(root: &Path, name: &str) -> Self {
        Self::with(root, name, &[]).await
    }

    pub async fn with(root: &Path, name: &str, env: &[(&str, &str)]) -> Self {
        let transport = TokioChildProcess::new(command(root, env)).expect("the server starts");
        let own = Implementation::new(name, "1.0");
        let info = ClientConfig::new(ClientCapabilities::default(), own);
        let service = info.serve(transport).await.expect("connected");
        Self { service }
    }

    pub fn peer(&self) -> Peer<RoleClient> {
        self.service.peer().clone()
    }

    /// Calls a tool that succeeds; its answer.
    pub async fn call(&self, tool: &'static str, arguments: Value) -> Value {
        let answer = call(&self.peer(), tool, arguments.clone()).await;
        assert_ne!(answer["status"], "error", "{tool} {arguments}: {answer:#}");
        answer
    }

    /// Calls a tool that fails; its error.
    pub async fn refused(&self, tool: &'static str, arguments: Value, code: &str) -> Value {
        let answer = call(&self.peer(), tool, arguments.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{tool} {arguments}: {answer:#}");
        answer
    }

    pub async fn end(self) {
        self.service.cancel().await.expect("ended");
    }
}

/// Calls a tool and gives the object that it answers.
pub async fn call(peer: &Peer<RoleClient>, tool: &'static str, arguments: Value) -> Value {
    let arguments: Map<String, Value> = arguments.as_object().cloned().expect("an object");
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    let result = peer.call_tool(request).await.expect("answered");
    let answer = result.structured_content.clone().expect("an object");
    assert_eq!(result.is_error, Some(answer["status"] == "error"), "{answer:#}");
    answer
}
