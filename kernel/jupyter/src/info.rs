//! Kernel info, and the answers that do not depend on the session.

use std::sync::OnceLock;

use jupyter_protocol::{DebugRequest, JupyterMessageContent};
use serde_json::{Value, json};

use super::wire::unknown;
use workbench_setup::cargo::RUSTC_ENV;

/// Version of the messaging specification.
pub const PROTOCOL: &str = "5.4";

/// `kernel_info_reply`.
pub fn kernel_info() -> JupyterMessageContent {
    let version = env!("CARGO_PKG_VERSION");
    let content = json!({
        "status": "ok",
        "protocol_version": PROTOCOL,
        "implementation": "workbench",
        "implementation_version": version,
        "language_info": {
            "name": "rust",
            "version": rustc_version(),
            // What JupyterLab and Jupyter Notebook call Rust.
            "mimetype": "text/x-rustsrc",
            "file_extension": ".rs",
            "pygments_lexer": "rust",
            "codemirror_mode": "rust",
            "nbconvert_exporter": "script",
        },
        "banner": format!("Workbench {version}: Rust notebooks that recompute a paper's claims"),
        "debugger": false,
        "supported_features": [],
        "help_links": [
            {"text": "The Rust book", "url": "https://doc.rust-lang.org/book/"},
            {"text": "The standard library", "url": "https://doc.rust-lang.org/std/"},
        ],
    });
    unknown("kernel_info_reply", content)
}

/// The version of the compiler that cells are compiled with.
fn rustc_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let rustc = std::env::var_os(RUSTC_ENV).unwrap_or_else(|| "rustc".into());
        let output = std::process::Command::new(rustc).arg("--version").output();
        let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        text.split(' ').nth(1).unwrap_or("unknown").trim().to_owned()
    })
}

/// Introspection the compiler for its version before a client does.
pub fn prepare() {
    std::thread::spawn(rustc_version);
}

/// `debug_reply`: there is no debugger, and clients may ask all the same.
pub fn debug_reply(request: &DebugRequest) -> JupyterMessageContent {
    let field = |name: &str| request.content.get(name).cloned();
    let content = json!({
        "type": "response",
        "seq": 1,
        "request_seq": field("seq").unwrap_or(json!(0)),
        "command": field("command").unwrap_or(json!("")),
        "success": false,
        "message": "this kernel has no debugger",
        "body": {},
    });
    unknown("debug_reply", content)
}

/// `comm_info_reply`: the comms that are open, each with its target.
pub fn comm_info<'a>(open: impl Iterator<Item = &'a str>, target: &str) -> JupyterMessageContent {
    let comms: serde_json::Map<String, Value> =
        open.map(|id| (id.to_owned(), json!({"target_name": target}))).collect();
    unknown("comm_info_reply", json!({"status": "ok", "comms": comms}))
}

/// `shutdown_reply`.
pub fn shutdown_reply(restart: bool) -> JupyterMessageContent {
    unknown("shutdown_reply", json!({"status": "ok", "restart": restart}))
}

/// The reply to a request of type `kind` that failed.
pub fn failed(kind: &str, name: &str, message: &str) -> JupyterMessageContent {
    let content = Value::Object(super::wire::error_content(name, message));
    unknown(&kind.replace("_request", "_reply"), content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_is_the_content_and_nothing_else() {
        let content = serde_json::to_value(kernel_info()).unwrap();
        assert_eq!(content["status"], "ok");
        assert_eq!(content["language_info"]["name"], "rust");
        assert!(content.get("msg_type").is_none());
        assert_eq!(kernel_info().message_type(), "kernel_info_reply");
    }
}
