// SPDX-License-Identifier: Apache-2.0
//! The configuration port: loads a kernel into the device, unless it is there already.

use super::{Address, Component, ConfigurationId, Context, Message, Server, Work};
use crate::breakdown::Category;
use crate::platform::Configuration;

/// Loads kernels, one at a time, and remembers which one the device holds.
#[derive(Debug)]
pub struct ConfigurationPort {
    settings: Configuration,
    server: Server,
    loaded: Option<ConfigurationId>,
}

impl ConfigurationPort {
    /// The port of a device that holds nothing yet.
    pub fn new(settings: Configuration) -> Self {
        Self { settings, server: Server::new("configuration-port"), loaded: None }
    }

    fn load(&mut self, id: ConfigurationId, context: &mut Context<'_>) -> u64 {
        if self.loaded == Some(id) {
            return context.now_ps;
        }
        self.loaded = Some(id);
        self.server.serve(Work::fixed(Category::Configure, self.settings.time_ps), context)
    }
}

impl Component for ConfigurationPort {
    fn receive(&mut self, message: Message, context: &mut Context<'_>) {
        if let Message::Configure(id) = message {
            let end_ps = self.load(id, context);
            context.send(end_ps, Address::Software, Message::Done);
        }
    }
}
