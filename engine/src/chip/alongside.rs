// SPDX-License-Identifier: Apache-2.0
//! The core's RTL on its way through the program, alongside its model: it is answered what the model
//! was, in the same cycles, and has to ask for the same in the same cycles, and to retire the same.

use std::collections::VecDeque;

use serde::Serialize;

use crate::cores::rtl::RtlCore;
use crate::cores::{
    Acks, Answered, Cause, Core, Cycle, Observer, Ports, Refused, Retired, Stop, Trap, bits_of,
};
use crate::error::{Error, Result, Status};

/// Words of the longest burst.
const BURST: usize = 8;
/// Instructions by which the model is ahead: more than a core has under way, so that all that the
/// RTL asks for before the last of these retires, the model has asked for already.
const AHEAD: usize = 32;
/// Cycles in which the RTL comes to its end behind the model's.
const SETTLING_CYCLES: Cycle = 4000;

/// What the RTL has done so far, all as its model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Followed {
    /// Instructions.
    pub instructions: u64,
    /// Requests at its ports.
    pub requests: u64,
}

/// What is asked of the ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Read { address: u32, words: usize },
    Write { address: u32, word: u32, lanes: u8 },
    Custom { function: u32, operands: [u32; 2] },
}

/// What was answered: words, and the cycle in which the first one was there.
#[derive(Debug, Clone, Copy)]
struct Answer {
    words: [u32; BURST],
    acks: Acks,
}

/// A request in its cycle, and what came of it; nothing if it was refused.
#[derive(Debug, Clone, Copy)]
struct Request {
    at: Cycle,
    asked: Asked,
    answer: Option<Answer>,
}

/// Requests at each of the ports, in the order of time.
#[derive(Default)]
struct Requests {
    fetches: VecDeque<Request>,
    accesses: VecDeque<Request>,
}

/// A core's port: that for data has all accesses, of units beside the core too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    Instructions,
    Data,
}

impl Requests {
    fn at(&mut self, port: Port) -> &mut VecDeque<Request> {
        match port {
            Port::Instructions => &mut self.fetches,
            Port::Data => &mut self.accesses,
        }
    }
}

/// What the model has done and the RTL has not.
#[derive(Default)]
struct Log {
    requests: Requests,
    retired: VecDeque<Retired>,
}

impl Log {
    /// What the RTL should have done before a cycle, and has not.
    fn left_before(&self, end: Cycle) -> Option<String> {
        let retired = self.retired.iter().find(|one| one.cycle < end);
        let Requests { fetches, accesses } = &self.requests;
        let requests = fetches.iter().chain(accesses);
        let request = requests.filter(|one| one.at < end).map(|one| format!("{one:x?}")).next();
        let told = retired.map(|one| format!("{one:x?}")).or(request);
        told.map(|what| format!("it ends, and the model does this before: {what}"))
    }
}

/// The RTL, and what it has to do.
pub struct Alongside {
    rtl: RtlCore,
    log: Log,
    followed: Followed,
}

impl Alongside {
    /// A core out of reset.
    pub fn new(rtl: RtlCore) -> Self {
        Self { rtl, log: Log::default(), followed: Followed::default() }
    }

    /// What it has done.
    pub fn followed(&self) -> Followed {
        self.followed
    }

    /// The ports and the observer by which the model is looked at.
    pub fn watching<'a, P, O>(
        &'a mut self,
        ports: &'a mut P,
        observer: &'a mut O,
    ) -> (Recorder<'a, P>, Both<'a, O>) {
        let Log { requests, retired } = &mut self.log;
        (Recorder { ports, requests }, Both { observer, retired })
    }

    /// Lets the RTL come after the model; to its end, if the model has come to that.
    ///
    /// # Errors
    /// [`Status::WrongCycles`] where it does something else.
    pub fn follow<P: Ports>(&mut self, ports: &mut P, end: Option<Trap>) -> Result<()> {
        let until = match (end, self.log.retired.len().checked_sub(AHEAD)) {
            (Some(trap), _) => trap.cycle + SETTLING_CYCLES,
            (None, Some(last)) => self.log.retired[last].cycle,
            (None, None) => return Ok(()),
        };
        let (difference, stop) = self.go_on(ports, until, end.is_some());
        let difference = difference.or_else(|| differing_end(end, stop));
        let difference = difference.or_else(|| self.log.left_before(end?.cycle));
        self.told(difference)
    }

    /// Lets it come as far as the model, which stays where it is: nobody goes on from here.
    ///
    /// # Errors
    /// As [`Self::follow`].
    pub fn catch_up<P: Ports>(&mut self, ports: &mut P) -> Result<()> {
        let Some(last) = self.log.retired.back() else { return Ok(()) };
        // What it asks for and the model has not, is of instructions to come.
        let (difference, _) = self.go_on(ports, last.cycle + 1, true);
        self.told(difference)
    }

    /// The first difference up to a cycle, and how the RTL has stopped there. `is_end`: whether the
    /// model does no more.
    fn go_on<P: Ports>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        is_end: bool,
    ) -> (Option<String>, Stop) {
        let Log { requests, retired } = &mut self.log;
        let mut given = Given { ports, requests, count: 0, difference: None };
        let mut compared =
            Compared { expected: retired, is_end, instructions: 0, difference: None };
        let stop = self.rtl.run(&mut given, until, &mut compared);
        self.followed.requests += given.count;
        self.followed.instructions += compared.instructions;
        // What was retired comes first: a wrong request follows from a wrong instruction.
        (compared.difference.or(given.difference), stop)
    }

    fn told(&self, difference: Option<String>) -> Result<()> {
        difference.map_or(Ok(()), |what| {
            let message = format!(
                "the core's RTL differs from its model behind {} instructions: {what}",
                self.followed.instructions
            );
            Err(Error::new(Status::WrongCycles, message))
        })
    }
}

/// How the end of the RTL differs from the model's.
fn differing_end(expected: Option<Trap>, stop: Stop) -> Option<String> {
    let told = |stop: Stop| match stop {
        Stop::Trapped(trap) => format!("stops in cycle {} ({})", trap.cycle, trap.told()),
        _ => "goes on".to_string(),
    };
    let as_expected = match (expected, stop) {
        (None, stop) => stop == Stop::Reached,
        (Some(model), Stop::Trapped(rtl)) => {
            // Of a refused request cores tell the instruction that is under way.
            let is_refused = model.cause == Cause::Refused;
            let pc = if is_refused { model.pc } else { rtl.pc };
            model == Trap { pc, ..rtl }
        }
        (Some(_), _) => false,
    };
    let model = expected.map_or(Stop::Reached, Stop::Trapped);
    (!as_expected).then(|| format!("it {}, and the model {}", told(stop), told(model)))
}

/// What is around the model, with all that is asked of it listed.
pub struct Recorder<'a, P> {
    ports: &'a mut P,
    requests: &'a mut Requests,
}

fn answer(words: &[u32], acks: Acks) -> Answer {
    let mut kept = [0; BURST];
    kept[..words.len()].copy_from_slice(words);
    Answer { words: kept, acks }
}

fn at_once(first: Cycle) -> Acks {
    Acks { first, interval: 1 }
}

/// A word that is written, without what is not.
fn written(address: u32, word: u32, lanes: u8) -> Asked {
    Asked::Write { address, word: word & bits_of(lanes), lanes }
}

impl<P: Ports> Recorder<'_, P> {
    fn words(&mut self, port: Port, at: Cycle, address: u32, words: &mut [u32]) -> Answered<Acks> {
        let asked = Asked::Read { address, words: words.len() };
        let acks = match port {
            Port::Instructions => self.ports.fetch(at, address, words),
            Port::Data => self.ports.read(at, address, words),
        };
        let answer = acks.ok().map(|acks| answer(words, acks));
        self.requests.at(port).push_back(Request { at, asked, answer });
        acks
    }
}

impl<P: Ports> Ports for Recorder<'_, P> {
    fn fetch(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Answered<Acks> {
        self.words(Port::Instructions, at, address, words)
    }

    fn read(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Answered<Acks> {
        self.words(Port::Data, at, address, words)
    }

    fn write(&mut self, at: Cycle, address: u32, word: u32, lanes: u8) -> Answered<Cycle> {
        let acknowledged = self.ports.write(at, address, word, lanes);
        let answer = acknowledged.ok().map(|first| answer(&[], at_once(first)));
        let asked = written(address, word, lanes);
        self.requests.at(Port::Data).push_back(Request { at, asked, answer });
        acknowledged
    }

    fn interrupts(&mut self, at: Cycle) -> u32 {
        self.ports.interrupts(at)
    }

    fn custom(&mut self, at: Cycle, function: u32, operands: [u32; 2]) -> Option<(u32, Cycle)> {
        let given = self.ports.custom(at, function, operands);
        let answer = given.map(|(word, ready)| answer(&[word], at_once(ready)));
        let asked = Asked::Custom { function, operands };
        self.requests.at(Port::Data).push_back(Request { at, asked, answer });
        given
    }
}

/// An observer, with all that retires listed.
pub struct Both<'a, O> {
    observer: &'a mut O,
    retired: &'a mut VecDeque<Retired>,
}

impl<O: Observer> Observer for Both<'_, O> {
    fn retired(&mut self, retired: Retired) {
        self.observer.retired(retired);
        self.retired.push_back(retired);
    }

    fn stops_at(&mut self, pc: u32) -> bool {
        self.observer.stops_at(pc)
    }
}

/// What the RTL gets: what the model was given, if it asks for that.
struct Given<'a, P> {
    /// Which lines interrupt.
    ports: &'a mut P,
    requests: &'a mut Requests,
    /// How many it has made.
    count: u64,
    /// The first one.
    difference: Option<String>,
}

impl<P> Given<'_, P> {
    fn given(&mut self, port: Port, at: Cycle, asked: Asked) -> Option<Answer> {
        // Behind the end of the program nothing is listed, and nothing happens.
        let model = self.requests.at(port).pop_front()?;
        if (model.at, model.asked) != (at, asked) {
            let what = format!(
                "it asks in cycle {at} for {asked:x?}, and the model in cycle {} for {:x?}",
                model.at, model.asked
            );
            self.difference.get_or_insert(what);
            return None;
        }
        self.count += 1;
        model.answer
    }

    fn words(&mut self, port: Port, at: Cycle, address: u32, words: &mut [u32]) -> Answered<Acks> {
        let asked = Asked::Read { address, words: words.len() };
        let answer = self.given(port, at, asked).ok_or(Refused { address })?;
        words.copy_from_slice(&answer.words[..words.len()]);
        Ok(answer.acks)
    }
}

impl<P: Ports> Ports for Given<'_, P> {
    fn fetch(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Answered<Acks> {
        self.words(Port::Instructions, at, address, words)
    }

    fn read(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Answered<Acks> {
        self.words(Port::Data, at, address, words)
    }

    fn write(&mut self, at: Cycle, address: u32, word: u32, lanes: u8) -> Answered<Cycle> {
        let answer = self.given(Port::Data, at, written(address, word, lanes));
        answer.map(|answer| answer.acks.first).ok_or(Refused { address })
    }

    fn interrupts(&mut self, at: Cycle) -> u32 {
        self.ports.interrupts(at)
    }

    fn custom(&mut self, at: Cycle, function: u32, operands: [u32; 2]) -> Option<(u32, Cycle)> {
        let answer = self.given(Port::Data, at, Asked::Custom { function, operands })?;
        Some((answer.words[0], answer.acks.first))
    }
}

/// Whether the RTL retires what the model has.
struct Compared<'a> {
    expected: &'a mut VecDeque<Retired>,
    /// Whether the model retires nothing else: a core goes on behind a store that will be refused.
    is_end: bool,
    instructions: u64,
    /// The first one.
    difference: Option<String>,
}

impl Observer for Compared<'_> {
    fn retired(&mut self, retired: Retired) {
        let expected = self.expected.pop_front();
        if expected.is_none() && self.is_end {
            return;
        }
        if expected == Some(retired) {
            self.instructions += 1;
        } else if self.difference.is_none() {
            self.difference = Some(format!("it retires {retired:x?}, and the model {expected:x?}"));
        }
    }
}
