//! The deck: state, update, views, forms, keys, theme.
