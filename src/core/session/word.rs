//! Closed sets of words, each with room for what another program may write.

/// Makes an enum of words. Reading takes any word and keeps an unknown one as
/// it is; parsing (what people and agents say) takes the known ones only.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $name:ident ($what:literal) {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
            /// A word that this version doesn't know; kept as it was read.
            Other(Box<str>),
        }

        impl $name {
            /// The words that are known here.
            pub const KNOWN: &'static [$name] = &[$($name::$variant),+];

            /// The word.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)+
                    $name::Other(word) => word,
                }
            }

            /// The word as a file has it, known or not.
            pub fn read(word: &str) -> Self {
                match word {
                    $($word => $name::$variant,)+
                    other => $name::Other(other.into()),
                }
            }

            /// Whether the word is known here.
            pub fn is_known(&self) -> bool {
                !matches!(self, $name::Other(_))
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                match Self::read(word) {
                    $name::Other(other) => {
                        let known: Vec<&str> = Self::KNOWN.iter().map(Self::as_str).collect();
                        let near = $crate::core::text::did_you_mean(&other, known.iter().copied());
                        Err(format!(
                            "{other:?} is no {}: it is one of {}{near}", $what, known.join(", ")
                        ))
                    }
                    known => Ok(known),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Ok(Self::read(&word))
            }
        }
    };
}

words! {
    /// What is to be reached.
    GoalType ("goal type") {
        /// It builds.
        BuildSuccess = "build_success",
        /// All tests pass.
        TestsPass = "tests_pass",
        /// All that is needed is there.
        EnvironmentReady = "environment_ready",
        /// Something else.
        Custom = "custom",
    }
}

words! {
    /// Where a session stands.
    Status ("status") {
        /// Nothing was tried yet.
        Pending = "pending",
        /// Being worked on.
        Active = "active",
        /// The gap is closed.
        Converged = "converged",
        /// Given up, by hand or at the cap.
        Escalated = "escalated",
        /// Ended by an error that nothing helps against.
        Failed = "failed",
    }
}

impl Status {
    /// Whether nothing may change any more.
    pub fn is_final(&self) -> bool {
        matches!(self, Status::Converged | Status::Escalated | Status::Failed)
    }
}

words! {
    /// What was done in an attempt.
    ActionType ("action type") {
        /// Something was built.
        Build = "build",
        /// Tests were run.
        Test = "test",
        /// Something was changed.
        Patch = "patch",
        /// Something was looked at.
        Probe = "probe",
        /// It was given up.
        Escalate = "escalate",
    }
}

words! {
    /// How an attempt ended.
    Outcome ("outcome") {
        /// As wanted.
        Success = "success",
        /// Not as wanted.
        Failure = "failure",
        /// Nearer than before.
        Partial = "partial",
        /// It could not be carried out.
        Error = "error",
    }
}

words! {
    /// Where an observation comes from.
    Source ("source") {
        /// What a build said.
        BuildOutput = "build_output",
        /// What tests said.
        TestOutput = "test_output",
        /// Standard output of a command.
        ProcessStdout = "process_stdout",
        /// Standard error of a command.
        ProcessStderr = "process_stderr",
        /// A file.
        FileRead = "file_read",
        /// A look at the surroundings.
        EnvProbe = "env_probe",
    }
}

words! {
    /// What a gap is counted in.
    MetricType ("metric") {
        /// Errors of a build.
        ErrorCount = "error_count",
        /// Tests that fail.
        TestFailureCount = "test_failure_count",
        /// Modules or commands that are missing.
        MissingDeps = "missing_deps",
        /// Something else.
        Custom = "custom",
    }
}

words! {
    /// Where a gap is going.
    Trend ("trend") {
        /// It gets smaller.
        Improving = "improving",
        /// It stays.
        Stagnant = "stagnant",
        /// It grows, or went past the target.
        Worsening = "worsening",
    }
}
