//! The C interface as Rust sees it: what `build.rs` makes of the headers in `include/`.
//!
//! [`sys`] has their declarations, [`Api`] their functions as an enum, and `names` the names of their constants, for
//! messages. `hints` is the table of hints, and `policy` compares the header of policies with its layout in Rust. This
//! room stands below all rooms that speak of the interface, and does nothing.

pub mod hints;
pub(crate) mod names;
mod policy;

/// What the headers declare, as `bindgen` reads them.
#[allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, dead_code)]
#[allow(clippy::all, clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]
pub mod sys {
    include!(concat!(env!("OUT_DIR"), "/ocr_h.rs"));
}

/// The functions of the headers.
#[allow(non_camel_case_types, dead_code, unreachable_pub)]
#[allow(clippy::upper_case_acronyms)]
mod api {
    include!(concat!(env!("OUT_DIR"), "/api.rs"));

    impl Api {
        /// All functions, in the order of the headers.
        pub(crate) fn all() -> impl Iterator<Item = Api> {
            FUNCTIONS.iter().map(|(api, ..)| *api)
        }

        /// The name of the C function.
        pub(crate) const fn name(self) -> &'static str {
            FUNCTIONS[self as usize].1
        }

        /// The names of its arguments.
        pub(crate) const fn arguments(self) -> &'static [&'static str] {
            FUNCTIONS[self as usize].2
        }

        /// The name that programs use: some functions are called through a macro.
        pub(crate) fn shown(self) -> &'static str {
            let name = self.name();
            name.strip_suffix("_internal").unwrap_or(name)
        }

        /// The function of this name.
        pub(crate) fn of_name(name: &str) -> Option<Api> {
            Api::all().find(|api| api.name() == name)
        }
    }
}

pub(crate) use api::Api;

#[cfg(test)]
mod tests {
    use super::Api;

    #[test]
    fn functions_are_those_of_the_headers() {
        assert_eq!(Api::of_name("ocrEdtDestroy"), Some(Api::ocrEdtDestroy));
        assert_eq!(Api::of_name("ocrEdtDestro"), None);
        assert_eq!(Api::ocrShutdown.arguments(), &[] as &[&str]);
        assert_eq!(Api::ocrAddDependence.arguments(), ["source", "destination", "slot", "mode"]);
        // The type of its second argument has arguments, too.
        assert_eq!(Api::ocrEdtTemplateCreate_internal.arguments(), ["guid", "funcPtr", "paramc", "depc", "funcName"]);
        assert_eq!(Api::ocrEdtTemplateCreate_internal.shown(), "ocrEdtTemplateCreate");
        for (at, api) in Api::all().enumerate() {
            assert_eq!(api as usize, at);
        }
    }
}
