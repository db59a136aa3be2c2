// SPDX-License-Identifier: Apache-2.0
//! When what follows an instruction has come.

use super::{NEXT_REQUEST, PicoRv32, REQUEST, WANTED};
use crate::cores::rv32::is_compressed;
use crate::cores::{Cycle, Going, Halt, Ports};

/// A word that the core has asked for.
pub(super) struct Word {
    acknowledged: Cycle,
    content: u32,
}

impl PicoRv32 {
    /// Fetches what is behind a taken branch, which nobody will execute; the cycle of `mem_done`.
    ///
    /// When memory lets it wait, `next_pc` is the target already. If that begins in the middle of a
    /// word, the memory interface takes what comes for a first half too (`mem_la_firstword`), although
    /// it has asked for a whole word. Bits that look like the begin of a full instruction are then no
    /// end: nothing was asked for the rest, so that it begins once more, at the target.
    pub(super) fn fetch_in_vain<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        behind: u32,
        target: u32,
    ) -> Going<Cycle> {
        let at = self.launch + REQUEST;
        if !behind.is_multiple_of(4) {
            return self.fetch_behind(ports, behind, self.launch + WANTED);
        }
        let word = fetch_word(ports, at, behind)?;
        let waits = word.acknowledged > at;
        if waits && !target.is_multiple_of(4) && !is_compressed(word.content >> 16) {
            return self.fetch_anew(ports, word.acknowledged + NEXT_REQUEST, target);
        }
        Ok(word.acknowledged)
    }

    /// Fetches what follows the instruction before, which ends no sooner than `wanted`; the cycle of
    /// `mem_done`.
    #[inline]
    pub(super) fn fetch_behind<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        address: u32,
        wanted: Cycle,
    ) -> Going<Cycle> {
        if address.is_multiple_of(4) {
            let word = fetch_word(ports, self.launch + REQUEST, address)?;
            self.take(address, word.content);
            // What comes sooner lies in `mem_rdata_q` until then.
            return Ok(word.acknowledged.max(wanted));
        }
        // What came before had the half with it: it was compressed and in the same word, or full and
        // ended there.
        if is_compressed(self.upper_half.into()) {
            self.next = Some(self.decoder.decode(address, self.upper_half.into()));
            return Ok(wanted);
        }
        self.fetch_rest(ports, wanted + 1, address)
    }

    /// Fetches what is at an address, with nothing of it there; the cycle of `mem_done`.
    pub(super) fn fetch_anew<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        address: u32,
    ) -> Going<Cycle> {
        let word = fetch_word(ports, at, address & !3)?;
        if address.is_multiple_of(4) {
            self.take(address, word.content);
            return Ok(word.acknowledged);
        }
        self.upper_half = (word.content >> 16) as u16;
        if is_compressed(self.upper_half.into()) {
            self.next = Some(self.decoder.decode(address, self.upper_half.into()));
            return Ok(word.acknowledged);
        }
        // `mem_valid` stays high, with the next address.
        self.fetch_rest(ports, word.acknowledged + 1, address)
    }

    /// Fetches the second half of a full instruction that begins in the middle of a word.
    fn fetch_rest<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        address: u32,
    ) -> Going<Cycle> {
        let word = fetch_word(ports, at, address.wrapping_add(2))?;
        let whole = word.content << 16 | u32::from(self.upper_half);
        self.next = Some(self.decoder.decode(address, whole));
        self.upper_half = (word.content >> 16) as u16;
        Ok(word.acknowledged)
    }

    #[inline]
    fn take(&mut self, address: u32, word: u32) {
        self.next = Some(self.decoder.decode(address, word));
        self.upper_half = (word >> 16) as u16;
    }
}

#[inline]
pub(super) fn fetch_word<P: Ports + ?Sized>(ports: &mut P, at: Cycle, address: u32) -> Going<Word> {
    let mut words = [0];
    let acks =
        ports.fetch(at, address, &mut words).map_err(|refused| Halt::refused(at, refused))?;
    Ok(Word { acknowledged: acks.first, content: words[0] })
}
