//! The variables of a session between its cells, under the names and with the messages that evcxr's generated code expects.
//!
//! Everything that does not depend on a variable's type is compiled here, once.

use std::alloc::Layout;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// Tells evcxr that a variable's type was defined anew; its name follows.
pub const VARIABLE_CHANGED_TYPE: &str = "EVCXR_VARIABLE_CHANGED_TYPE:";
/// Tells evcxr that an error has left the cell.
pub const USER_ERROR_OCCURRED: &str = "EVCXR_ERROR_OCCURRED";

/// Variables by name.
#[derive(Default)]
pub struct VariableStore {
    variables: HashMap<String, Box<dyn Any>>,
    kept: Vec<Box<dyn Any>>,
}

impl VariableStore {
    /// Keeps a variable, in the place of one of its name.
    pub fn put_variable<T: 'static>(&mut self, name: &str, value: T) {
        self.put(name, Box::new(value));
    }

    /// Whether a variable still has the type `T`; if not, evcxr and the reader are told. A variable that is not there has.
    ///
    /// The compiler takes two definitions of one name for one type where only the types of their fields differ, so the size and the
    /// alignment that the value has are compared too.
    pub fn check_variable<T: 'static>(&mut self, name: &str) -> bool {
        match self.get(name) {
            Some(value) if !value.is::<T>() || Layout::for_value(value) != Layout::new::<T>() => changed(name),
            _ => true,
        }
    }

    /// Takes a variable out.
    pub fn take_variable<T: 'static>(&mut self, name: &str) -> T {
        match self.take(name).downcast() {
            Ok(value) => *value,
            Err(_) => panic!("Variable changed type"),
        }
    }

    /// A value of the cell's own, which lives on; evcxr asks for a tokio runtime so.
    ///
    /// evcxr means one for all cells. But each cell carries a copy of the crates that are not part of the prebuilt library,
    /// with thread-locals and tables of parked threads of its own: a task spawned by one copy on another's runtime would
    /// wait for ever.
    pub fn lazy_arc<T: 'static, F: FnOnce() -> T>(&mut self, _name: &str, create: F) -> Arc<T> {
        let value = Arc::new(create());
        self.kept.push(Box::new(value.clone()));
        value
    }

    #[inline(never)]
    fn put(&mut self, name: &str, value: Box<dyn Any>) {
        self.variables.insert(name.to_owned(), value);
    }

    #[inline(never)]
    fn get(&self, name: &str) -> Option<&dyn Any> {
        self.variables.get(name).map(|value| &**value)
    }

    #[inline(never)]
    fn take(&mut self, name: &str) -> Box<dyn Any> {
        match self.variables.remove(name) {
            Some(value) => value,
            None => panic!("Variable '{name}' has gone missing"),
        }
    }
}

/// Tells evcxr and the reader that a variable is lost, because its type was defined anew; always false.
#[inline(never)]
pub fn changed(name: &str) -> bool {
    eprintln!("The type of the variable {name} was redefined, so was lost.");
    super::protocol(&format!("{VARIABLE_CHANGED_TYPE}{name}"));
    false
}

/// An empty store that lives until the process ends.
#[inline(never)]
pub fn create_variable_store() -> *mut VariableStore {
    Box::into_raw(Box::default())
}
