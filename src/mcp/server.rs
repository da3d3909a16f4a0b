//! The protocol, by the official SDK. Each call runs on a thread of its own, so
//! that calls go side by side and none holds the protocol up.

use std::time::{Duration, Instant};

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};

use super::answer::{Answer, Call, error};
use super::lines::Lines;
use super::{resources, stores, tools};
use crate::core::loops::model::Actor;
use crate::engine::{Engine, Error, Result, Write};

/// How often is looked whether a question's time is up.
const LOOK: Duration = Duration::from_secs(15);
/// What an agent without a name is called.
const NAMELESS: &str = "mcp";
/// Characters of an agent's name at most.
const NAME_CHARS: usize = 64;
/// For tests only: a debug build panics in a call of the tool that it names.
#[cfg(debug_assertions)]
const PANIC_IN: &str = "LOOPDECK_TEST_PANIC_IN";

const INSTRUCTIONS: &str = "Structured loops (ideation, review, research, implementation, debug) \
     that a person watches in the loopdeck. Open or find a loop, take your slot's turn, file \
     artifacts, complete the turn, advance. Every answer's next_expected says what to call next. \
     What is marked operator_only is the person's to do: ask with request_input.";

/// Serves one workspace over standard input and output until the client goes.
///
/// # Errors
/// `io`.
pub fn serve(engine: Engine, actor: Option<Actor>) -> Result<()> {
    let failed = |error: &dyn std::fmt::Display| Error::new("io", format!("mcp: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| failed(&error))?;
    runtime.block_on(async {
        let clock = tokio::spawn(keep_time(engine.clone()));
        let server = Server { engine, actor };
        let served =
            rmcp::serve_server(server, Lines::over(tokio::io::stdin(), tokio::io::stdout())).await;
        let running = served.map_err(|error| failed(&error))?;
        let ended = running.waiting().await;
        clock.abort();
        ended.map(drop).map_err(|error| failed(&error))
    })
}

/// Sweeps launches that never came about, once, and resolves questions whose
/// time is up for as long as the server runs.
async fn keep_time(engine: Engine) {
    let own = engine.clone();
    let write = Write { actor: Actor::Engine, request_id: None, expected_version: None };
    let _ = tokio::task::spawn_blocking(move || own.sweep(&write)).await;
    loop {
        tokio::time::sleep(LOOK).await;
        let own = engine.clone();
        let look = tokio::task::spawn_blocking(move || {
            let now = own.now();
            let listing = own.list().unwrap_or_default();
            let due = |at: crate::core::time::Timestamp| at <= now;
            for one in listing.loops.iter().filter(|one| one.deadline.is_some_and(due)) {
                let _ = own.resolve_overdue(&one.id);
            }
        });
        let _ = look.await;
    }
}

#[derive(Clone)]
struct Server {
    engine: Engine,
    /// Who acts, if it was said.
    actor: Option<Actor>,
}

impl Server {
    /// Who acts: who was named, else the client by its name.
    fn actor(&self, context: &RequestContext<RoleServer>) -> Actor {
        if let Some(actor) = &self.actor {
            return actor.clone();
        }
        let name = context.client_info().map(|client| client.name).unwrap_or_default();
        Actor::Agent(agent_name(&name).as_str().into())
    }
}

/// A client's name as an agent's.
fn agent_name(name: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let clean: String =
        name.trim().chars().take(NAME_CHARS).map(|c| if allowed(c) { c } else { '-' }).collect();
    if clean.is_empty() { NAMELESS.to_owned() } else { clean }
}

/// Runs a piece of work on a thread of its own; a panic in it is an error.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> std::result::Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        let panic = error.into_panic();
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a fault without words".to_owned())
    })
}

pub(super) fn carry_out(
    engine: &Engine,
    actor: &Actor,
    name: &str,
    given: &Map<String, Value>,
    started: Instant,
) -> Answer {
    #[cfg(debug_assertions)]
    if std::env::var(PANIC_IN).is_ok_and(|tool| tool == name) {
        panic!("asked for by a test");
    }
    let call = Call { engine, actor, started };
    match tools::find(name) {
        Some(tool) => tool.call(&call, given),
        None => error(&call, None, &stores::no_tool(name)),
    }
}

fn result(answer: Answer) -> CallToolResult {
    let text = ContentBlock::text(answer.body.to_string());
    let mut result = match answer.failed {
        true => CallToolResult::error(vec![text]),
        false => CallToolResult::success(vec![text]),
    };
    result.structured_content = Some(answer.body);
    result
}

fn resource_error(refused: &Error) -> ErrorData {
    let data = serde_json::json!({ "code": refused.code(), "details": refused.0.details });
    ErrorData::resource_not_found(refused.message().to_owned(), Some(data))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let own = Implementation::new("loopdeck", env!("CARGO_PKG_VERSION"));
        let mut info = ServerConfig::new(capabilities);
        info.server_info = own;
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        let tools = tools::TOOLS.iter().map(tools::Entry::tool).collect();
        Ok(ListToolsResult { tools, ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let started = Instant::now();
        let (engine, actor) = (self.engine.clone(), self.actor(&context));
        let name = request.name.into_owned();
        let given = request.arguments.unwrap_or_default();
        let told = (engine.clone(), actor.clone());
        let worked = apart(move || carry_out(&engine, &actor, &name, &given, started)).await;
        let answer = worked.unwrap_or_else(|why| {
            let call = Call { engine: &told.0, actor: &told.1, started };
            let fault = format!("a fault of loopdeck itself: {why}. Other calls go on");
            error(&call, None, &Error::new("io", fault))
        });
        Ok(result(answer).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListResourcesResult, ErrorData> {
        let engine = self.engine.clone();
        let listed = apart(move || resources::list(&engine)).await;
        let listed = listed.map_err(|why| ErrorData::internal_error(why, None))?;
        let resources = listed.map_err(|refused| resource_error(&refused))?;
        Ok(ListResourcesResult { resources, ..ListResourcesResult::default() })
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListResourceTemplatesResult, ErrorData> {
        let resource_templates = resources::templates();
        Ok(ListResourceTemplatesResult {
            resource_templates,
            ..ListResourceTemplatesResult::default()
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<ReadResourceResponse, ErrorData> {
        let engine = self.engine.clone();
        let read = apart(move || resources::read(&engine, &request.uri)).await;
        let read = read.map_err(|why| ErrorData::internal_error(why, None))?;
        let contents = read.map_err(|refused| resource_error(&refused))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clients_name_is_an_agents() {
        assert_eq!(agent_name("Visual Studio Code"), "Visual-Studio-Code");
        assert_eq!(agent_name(" \u{1b}[31m "), "-[31m".replace('[', "-"));
        assert_eq!(agent_name(""), NAMELESS);
    }

    #[test]
    fn every_tool_has_a_schema_of_its_arguments() {
        for tool in tools::TOOLS {
            let told = tool.tool();
            assert_eq!(told.input_schema["type"], "object", "{}", tool.name);
        }
        let told = tools::find("bclaw_loop").expect("there").tool();
        let intents = serde_json::to_string(&told.input_schema).expect("JSON");
        assert!(intents.contains("\"takeover\"") && intents.contains("allow_orphan"));
    }
}
