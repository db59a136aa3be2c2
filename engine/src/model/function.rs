// SPDX-License-Identifier: Apache-2.0
//! `function.so`: the C function, for programs that have none of their own.

use std::ffi::c_void;

use super::shared_object::SharedObject;
use super::{Answers, AnswersRow, Data};
use crate::error::Result;

/// The C function.
pub trait Function: Send + Sync {
    /// Runs it.
    ///
    /// # Safety
    /// `data` are the arguments of a call that it may be given, `answers` what its polls answer.
    unsafe fn run(&self, data: &Data, answers: &Answers);
}

/// `function.so`, for programs that have no C function of their own.
pub struct FunctionObject {
    function: unsafe extern "C" fn(*const *mut c_void),
    know: Option<unsafe extern "C" fn(*const AnswersRow, u32)>,
    _object: SharedObject,
}

impl FunctionObject {
    /// Loads `ahead.so` from its content.
    ///
    /// # Errors
    /// As [`CallObject::load`].
    pub fn load(content: &[u8]) -> Result<Self> {
        let object = SharedObject::load(c"function.so", content)?;
        // SAFETY: docs/package.md gives the functions' types.
        let (function, know) =
            unsafe { (object.function(c"tandem_function")?, object.function(c"tandem_know").ok()) };
        Ok(Self { function, know, _object: object })
    }
}

impl Function for FunctionObject {
    unsafe fn run(&self, data: &Data, answers: &Answers) {
        let rows = answers.rows();
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(know) = self.know {
                know(rows.as_ptr(), rows.len() as u32);
            }
            (self.function)(data.as_ptr());
        }
    }
}
