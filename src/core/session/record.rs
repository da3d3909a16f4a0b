//! Objects as they stand in a file: known keys in a fixed order, then whatever
//! another program has put beside them, to the byte.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// Any JSON value, kept as it was written: big integers, order of keys and
/// all.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// A value.
    pub fn of(value: &impl Serialize) -> Self {
        // What the program makes itself has text keys and finite numbers.
        serde_json::value::to_raw_value(value).map(Self).unwrap_or_default()
    }

    /// The value to look into.
    pub fn value(&self) -> serde_json::Value {
        serde_json::from_str(self.0.get()).unwrap_or_default()
    }

    /// Its text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Whether it says nothing.
    pub fn is_null(&self) -> bool {
        self.text() == "null"
    }
}

impl Default for Json {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

/// What a record holds besides its known keys, in the order of the file.
pub(super) type Extra = Vec<(Box<str>, Json)>;

/// Makes a record: a struct whose known keys are written in the order in which
/// they stand here. `= default` is what a missing (or null) key means, without
/// it the key has to be there; `?` keys are left out while they are none. After
/// reading, `settled` may put derived values right.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $name:ident {
            $($(#[$field_meta:meta])* $field:ident : $type:ty $(= $default:expr)? $(, skip $skip:path)?;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)+
            /// What another program has put beside it.
            pub(super) extra: $crate::core::session::record::Extra,
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(None)?;
                $(
                    if !(false $(|| $skip(&self.$field))?) {
                        map.serialize_entry(stringify!($field), &self.$field)?;
                    }
                )+
                for (key, value) in &self.extra {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;

                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("an object (", stringify!($name), ")"))
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<$name, A::Error> {
                        $(let mut $field: Option<$type> = None;)+
                        let mut extra = $crate::core::session::record::Extra::new();
                        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                            match &*key {
                                $(stringify!($field) => $field = map.next_value()?,)+
                                other => extra.push((other.into(), map.next_value()?)),
                            }
                        }
                        let read = $name {
                            $($field: record!(@value $field $(= $default)?),)+
                            extra,
                        };
                        Ok(read.settled())
                    }
                }

                deserializer.deserialize_map(Visitor)
            }
        }
    };
    (@value $field:ident = $default:expr) => {
        $field.unwrap_or_else(|| $default)
    };
    (@value $field:ident) => {
        $field.ok_or_else(|| serde::de::Error::missing_field(stringify!($field)))?
    };
}

pub(super) use record;
