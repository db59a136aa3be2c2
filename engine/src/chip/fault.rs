// SPDX-License-Identifier: Apache-2.0
//! What a program must not do, as far as a chip sees it and the core does not.

/// What it has done; with an address where that tells more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It has too much on its stack.
    Overflowed,
    /// It has written to its own code or constants.
    Spoiled(u32),
    /// It waits for what will never come.
    Starved(u32),
    /// Its descriptors lead to where no memory is.
    Lost(u32),
}

impl Fault {
    /// For people.
    pub fn told(self) -> String {
        match self {
            Self::Overflowed => "the stack has overflowed".to_string(),
            Self::Spoiled(address) => format!(
                "a store to {address:#010x}, in the program's own code or constants (by a null \
                 pointer?)"
            ),
            Self::Starved(address) => format!(
                "an access of {address:#010x}, of a kernel's link, is not answered: nothing was \
                 asked for, or the kernel waits for its arguments"
            ),
            Self::Lost(address) => {
                format!("a descriptor leads to {address:#010x}, where no memory is")
            }
        }
    }
}
