//! Enums displayed, parsed and serialized by name. Each is declared beside its enum.

/// Describes types as strings in the schemas, which list no names.
macro_rules! string_schema {
    ($($named:ty),+ $(,)?) => {$(
        #[cfg(test)]
        impl schemars::JsonSchema for $named {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                String::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    )+};
}

/// Serializes types as the engine's macros of the same names do, and describes them as strings in the schemas.
macro_rules! serialized {
    ($kind:ident: $($named:ty),+ $(,)?) => {
        sts_controller::$kind!($($named),+);
        string_schema!($($named),+);
    };
}
