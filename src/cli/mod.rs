//! The command line: one file a noun. Parses, calls the engine, prints.
