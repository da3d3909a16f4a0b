//! Which environment variables a command gets: those that tools need to find
//! their parts, by name, and none whose name speaks of a secret.

use std::env;
use std::ffi::{OsStr, OsString};

/// Passed on by name.
const NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TMPDIR",
    "TMP",
    "TEMP",
    "TZ",
    "PWD",
    "CI",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
    "CC",
    "CXX",
    "CPP",
    "AR",
    "LD",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "MAKEFLAGS",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PKG_CONFIG_PATH",
    "GOPATH",
    "GOROOT",
    "GOFLAGS",
    "GOCACHE",
    "GOMODCACHE",
    "GOTOOLCHAIN",
    "JAVA_HOME",
    "JDK_HOME",
    "NODE_PATH",
    "NODE_ENV",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "DOTNET_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_GEMFILE",
    "NIX_PATH",
    "NIX_PROFILES",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "USERPROFILE",
    "USERNAME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Passed on by the beginning of the name.
const PREFIXES: &[&str] = &[
    "LC_", "XDG_", "CARGO_", "RUST_", "RUSTUP_", "MAVEN_", "GRADLE_", "NVM_", "PYENV_", "RBENV_",
    "CONDA_", "CMAKE_", "ANDROID_", "SDKMAN_", "DOTNET_",
];

/// Words in a variable's name that say that its value is a secret (store.md,
/// "Secrets").
pub(super) const SECRET_WORDS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD"];

/// Whether a variable's value is a secret, by its name.
pub(super) fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// The variables of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Names and values.
    pub vars: Vec<(OsString, OsString)>,
    /// Values of this process's secret variables that are not among them: whoever
    /// listens to the command takes them out of what it says all the same, for it
    /// may know them from elsewhere.
    pub withheld: Vec<String>,
}

impl Environment {
    /// This process's variables that are on the list, and those that are named
    /// besides (which the settings do: a name there is meant, secret or not).
    pub fn of_process(besides: &[String]) -> Self {
        let passed = |(name, _): &(OsString, OsString)| {
            besides.iter().any(|n| name == OsStr::new(n)) || is_usual(name)
        };
        let (vars, others): (Vec<_>, Vec<_>) = env::vars_os().partition(passed);
        let secret = others.into_iter().filter(|(name, _)| is_secret(name));
        let withheld = secret.map(|(_, value)| value.to_string_lossy().into_owned()).collect();
        Self { vars, withheld }
    }

    /// All of this process's variables: for one that was given no others.
    pub fn all_of_process() -> Self {
        Self { vars: env::vars_os().collect(), withheld: Vec::new() }
    }

    /// With a variable set to a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.vars.retain(|(known, _)| known != OsStr::new(name));
        self.vars.push((name.into(), value.into()));
        self
    }
}

/// Whether a variable is passed on without anybody naming it.
pub fn is_usual(name: &OsStr) -> bool {
    is_listed(name) && !is_secret(name)
}

fn is_listed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    // Windows doesn't tell the case of names apart.
    let same = |known: &str| {
        if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { known == name }
    };
    NAMES.iter().any(|known| same(known)) || PREFIXES.iter().any(|p| name.starts_with(p))
}
