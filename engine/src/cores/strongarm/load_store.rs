// SPDX-License-Identifier: Apache-2.0
//! Loads and stores, of a register and of several, and swaps.

use super::{StrongArm, timing};
use crate::cores::armv4::{Instruction, Operation, PC, loaded, stored};
use crate::cores::{Cause, Cycle, Going, Ports};

impl StrongArm {
    /// Where an instruction accesses memory, and what its base becomes.
    #[inline]
    fn place(&self, this: Instruction) -> Going<(u32, u32)> {
        let (base, offset) = (self.register(this.rn), self.second(this).value);
        let changed = match this.is_up {
            true => base.wrapping_add(offset),
            false => base.wrapping_sub(offset),
        };
        let address = if this.is_before { changed } else { base };
        self.require_aligned(this.operation, address)?;
        Ok((address, changed))
    }

    #[inline]
    fn require_aligned(&self, operation: Operation, address: u32) -> Going<()> {
        if address & (operation.bytes() - 1) == 0 {
            return Ok(());
        }
        Err(self.halt(Cause::Misaligned))
    }

    #[inline]
    pub(super) fn load<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
    ) -> Going<()> {
        let (address, changed) = self.place(this)?;
        let buffer = self.issue + timing::BUFFER;
        let (word, there) = self.read(ports, buffer, address)?;
        self.issue += 1 + there - buffer;
        if this.writes_back {
            self.set(this.rn, changed, self.issue);
        }
        let value = loaded(this.operation, address, word);
        if this.rd == PC {
            self.pc = value & !3;
            self.issue += self.settings.load_jump_cycles;
            return Ok(());
        }
        let is_signed = this.operation.is_signed_load();
        let delay = if is_signed { timing::SIGNED_LOAD_DELAY } else { timing::LOAD_DELAY };
        self.set(this.rd, value, self.issue + delay);
        Ok(())
    }

    #[inline]
    pub(super) fn store<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
    ) -> Going<()> {
        let (address, changed) = self.place(this)?;
        let buffer = self.issue + timing::BUFFER;
        let bytes = stored(this.operation, address, self.register(this.rd));
        let done = self.write(ports, buffer, (address, false), bytes)?;
        self.issue += 1 + done - buffer;
        if this.writes_back {
            self.set(this.rn, changed, self.issue);
        }
        Ok(())
    }

    /// The first address of a list's words, and what its base becomes.
    fn list_place(&self, this: Instruction) -> Going<(u32, u32)> {
        let (base, bytes) = (self.register(this.rn), 4 * this.list.count_ones());
        self.require_aligned(this.operation, base)?;
        let changed = match this.is_up {
            true => base.wrapping_add(bytes),
            false => base.wrapping_sub(bytes),
        };
        let lowest = if this.is_up { base } else { changed };
        // Up and before, or down and behind: the base's own word is left out.
        let skips = if this.is_up == this.is_before { 4 } else { 0 };
        Ok((lowest.wrapping_add(skips), changed))
    }

    pub(super) fn load_multiple<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
    ) -> Going<()> {
        let (mut address, changed) = self.list_place(this)?;
        if this.writes_back {
            self.set(this.rn, changed, self.issue + 1);
        }
        let count = Cycle::from(this.list.count_ones());
        // Of a single register the second cycle has none.
        let mut issue = self.issue + timing::LEAST_LIST.saturating_sub(count);
        for register in listed(this.list) {
            let buffer = issue + timing::BUFFER;
            let (word, there) = self.read(ports, buffer, address)?;
            issue += 1 + there - buffer;
            address = address.wrapping_add(4);
            if register == usize::from(PC) {
                self.pc = word & !3;
            } else {
                self.set(register as u8, word, issue + timing::LOAD_DELAY);
            }
        }
        self.issue = issue;
        if this.list >> PC & 1 == 1 {
            self.issue += self.settings.load_jump_cycles;
        }
        Ok(())
    }

    pub(super) fn store_multiple<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
    ) -> Going<()> {
        let (mut address, changed) = self.list_place(this)?;
        let count = Cycle::from(this.list.count_ones());
        let mut issue = self.issue + timing::LEAST_LIST.saturating_sub(count);
        for (number, register) in listed(this.list).enumerate() {
            let (buffer, bytes) = (issue + timing::BUFFER, (self.registers[register], 15));
            let done = self.write(ports, buffer, (address, number > 0), bytes)?;
            issue += 1 + done - buffer;
            address = address.wrapping_add(4);
        }
        self.issue = issue;
        if this.writes_back {
            self.set(this.rn, changed, issue);
        }
        Ok(())
    }

    pub(super) fn swap<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
    ) -> Going<()> {
        let address = self.register(this.rn);
        self.require_aligned(this.operation, address)?;
        let buffer = self.issue + timing::BUFFER;
        let (word, there) = self.read(ports, buffer, address)?;
        let bytes = stored(this.operation, address, self.register(this.rm));
        let done = self.write(ports, there + 1, (address, false), bytes)?;
        self.issue += timing::SWAP + done - (buffer + 1);
        let value = loaded(this.operation, address, word);
        self.set(this.rd, value, self.issue + timing::SWAP_DELAY);
        Ok(())
    }
}

/// The registers of a list, the lowest first.
pub(super) fn listed(list: u16) -> impl Iterator<Item = usize> {
    let mut left = list;
    std::iter::from_fn(move || {
        let next = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (next < 16).then_some(next)
    })
}
