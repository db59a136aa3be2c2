// SPDX-License-Identifier: Apache-2.0
//! Quantities as people write them ("410 us", "4 MB", "800 MB/s", "100 MHz") to exact integers.
//!
//! SI prefixes are powers of ten (1 MB is 10^6 bytes), binary ones powers of two (1 MiB is 2^20
//! bytes). Arithmetic is exact: a number that is finer than the unit kept inside is refused.

use std::fmt;

/// What a number measures, and so the unit it is kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Kept in picoseconds.
    Time,
    /// Kept in bytes.
    Size,
    /// Kept in bytes a second.
    Rate,
    /// Kept in hertz.
    Frequency,
    /// Kept in nanowatts.
    Power,
    /// Kept in femtojoules.
    Energy,
}

impl Quantity {
    fn with_example(self) -> &'static str {
        match self {
            Self::Time => "a time such as \"410 us\"",
            Self::Size => "a size such as \"4 MB\"",
            Self::Rate => "a rate such as \"800 MB/s\"",
            Self::Frequency => "a frequency such as \"100 MHz\"",
            Self::Power => "a power such as \"31.25 mW\"",
            Self::Energy => "an energy such as \"0.6 pJ\"",
        }
    }

    /// How the name of a number of it ends in what the engine writes.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Time => "ps",
            Self::Size => "bytes",
            Self::Rate => "bytes_per_s",
            Self::Frequency => "hz",
            Self::Power => "nw",
            Self::Energy => "fj",
        }
    }

    fn kept_in(self) -> &'static str {
        match self {
            Self::Time => "1 ps",
            Self::Size => "1 byte",
            Self::Rate => "1 B/s",
            Self::Frequency => "1 Hz",
            Self::Power => "1 nW",
            Self::Energy => "1 fJ",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Time => "a time",
            Self::Size => "a size",
            Self::Rate => "a rate",
            Self::Frequency => "a frequency",
            Self::Power => "a power",
            Self::Energy => "an energy",
        })
    }
}

/// `mantissa` x 10^`decimal_exponent`.
struct Decimal {
    mantissa: u128,
    decimal_exponent: i32,
}

/// A unit: what it measures and its size in the unit kept inside, 10^decimal x 2^binary.
struct Unit {
    quantity: Quantity,
    decimal_exponent: i32,
    binary_exponent: u32,
}

/// Reads `text` as a `wanted` quantity, in the unit that quantity is kept in.
///
/// # Errors
/// "expected a rate such as "800 MB/s", found a size": what was expected and what was found.
pub fn parse(text: &str, wanted: Quantity) -> Result<u64, String> {
    let expected = |found: &str| format!("expected {}, found {found}", wanted.with_example());
    let (number, unit) = split(text.trim());
    let number = parse_decimal(number).ok_or_else(|| expected("no number of 0 or more"))?;
    if unit.is_empty() {
        return Err(expected("a number without a unit"));
    }
    let unit = parse_unit(unit).ok_or_else(|| expected(&format!("the unknown unit {unit:?}")))?;
    if unit.quantity != wanted {
        return Err(expected(&unit.quantity.to_string()));
    }
    scale(&number, &unit)
}

/// A size as people write it: with the largest unit of which it is a whole number.
pub fn size_text(bytes: u64) -> String {
    let binary = ["GiB", "MiB", "KiB"].into_iter().zip([30, 20, 10]).map(|(u, e)| (u, 1 << e));
    let decimal = ["GB", "MB", "kB"].into_iter().zip([9, 6, 3]).map(|(u, e)| (u, 10_u64.pow(e)));
    let whole = binary.chain(decimal).filter(|(_, size)| bytes > 0 && bytes.is_multiple_of(*size));
    match whole.max_by_key(|(_, size)| *size) {
        Some((unit, size)) => format!("{} {unit}", bytes / size),
        None => format!("{bytes} B"),
    }
}

/// Parts "1.5e3 MB/s" into its number and its unit; an `e` belongs to the number only before a
/// digit or a sign.
fn split(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let in_number = |at: usize| match bytes[at] {
        b'0'..=b'9' | b'.' | b'-' | b'+' => true,
        b'e' => matches!(bytes.get(at + 1), Some(b'0'..=b'9' | b'-' | b'+')),
        _ => false,
    };
    let end = (0..bytes.len()).find(|&at| !in_number(at)).unwrap_or(bytes.len());
    (&text[..end], text[end..].trim_start())
}

fn parse_decimal(text: &str) -> Option<Decimal> {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let exponent: i32 = exponent.parse().ok()?;
    Some(Decimal {
        mantissa: format!("{whole}{fraction}").parse().ok()?,
        decimal_exponent: exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?,
    })
}

fn parse_unit(text: &str) -> Option<Unit> {
    const BASES: [(&str, Quantity, i32); 6] = [
        ("B/s", Quantity::Rate, 0),
        ("Hz", Quantity::Frequency, 0),
        ("B", Quantity::Size, 0),
        ("s", Quantity::Time, 12),
        ("W", Quantity::Power, 9),
        ("J", Quantity::Energy, 15),
    ];
    let (prefix, quantity, base) = BASES.iter().find_map(|&(base, quantity, exponent)| {
        Some((text.strip_suffix(base)?, quantity, exponent))
    })?;
    let (decimal, binary_exponent) = parse_prefix(prefix, quantity)?;
    Some(Unit { quantity, decimal_exponent: base + decimal, binary_exponent })
}

/// The exponents (of ten, of two) of a prefix, where the quantity has it: no "Ms", no "mB", no "kJ".
fn parse_prefix(prefix: &str, quantity: Quantity) -> Option<(i32, u32)> {
    let bytes = matches!(quantity, Quantity::Size | Quantity::Rate);
    let small = matches!(quantity, Quantity::Time | Quantity::Power | Quantity::Energy);
    match prefix {
        "" => Some((0, 0)),
        "m" if small => Some((-3, 0)),
        "u" | "µ" | "μ" if small => Some((-6, 0)),
        "n" if small => Some((-9, 0)),
        "p" if small => Some((-12, 0)),
        "f" if quantity == Quantity::Energy => Some((-15, 0)),
        "k" if !small => Some((3, 0)),
        "M" if !small => Some((6, 0)),
        "G" if !small => Some((9, 0)),
        "T" if !small => Some((12, 0)),
        "Ki" if bytes => Some((0, 10)),
        "Mi" if bytes => Some((0, 20)),
        "Gi" if bytes => Some((0, 30)),
        "Ti" if bytes => Some((0, 40)),
        _ => None,
    }
}

fn scale(number: &Decimal, unit: &Unit) -> Result<u64, String> {
    let too_large = || "the number is too large".to_string();
    let too_fine = || format!("the number is finer than {}", unit.quantity.kept_in());
    let exponent = number.decimal_exponent.saturating_add(unit.decimal_exponent);
    let scaled = number.mantissa.checked_mul(1 << unit.binary_exponent).ok_or_else(too_large)?;
    let power = 10u128.checked_pow(exponent.unsigned_abs());
    let value = match power {
        _ if scaled == 0 => 0,
        None if exponent < 0 => return Err(too_fine()),
        None => return Err(too_large()),
        Some(power) if exponent >= 0 => scaled.checked_mul(power).ok_or_else(too_large)?,
        Some(power) if scaled % power == 0 => scaled / power,
        Some(_) => return Err(too_fine()),
    };
    u64::try_from(value).map_err(|_| too_large())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_told_in_the_largest_unit() {
        let told =
            [(16_000, "16 kB"), (4 << 20, "4 MiB"), (3, "3 B"), (0, "0 B"), (24_000_000, "24 MB")];
        for (bytes, text) in told {
            assert_eq!(size_text(bytes), text);
        }
    }

    #[test]
    fn quantities_are_exact() {
        let cases = [
            ("410 us", Quantity::Time, 410_000_000),
            ("72.5us", Quantity::Time, 72_500_000),
            ("0.41 ms", Quantity::Time, 410_000_000),
            ("1e-3 s", Quantity::Time, 1_000_000_000),
            ("0 s", Quantity::Time, 0),
            ("1.5 µs", Quantity::Time, 1_500_000),
            ("31.25 mW", Quantity::Power, 31_250_000),
            ("0.65 pJ", Quantity::Energy, 650),
            ("2 fJ", Quantity::Energy, 2),
            ("4 MB", Quantity::Size, 4_000_000),
            ("4 MiB", Quantity::Size, 4 << 20),
            ("0.5 KiB", Quantity::Size, 512),
            ("8 B", Quantity::Size, 8),
            ("800 MB/s", Quantity::Rate, 800_000_000),
            ("15.75 GB/s", Quantity::Rate, 15_750_000_000),
            ("100 MHz", Quantity::Frequency, 100_000_000),
        ];
        for (text, quantity, value) in cases {
            assert_eq!(parse(text, quantity), Ok(value), "{text}");
        }
    }

    #[test]
    fn each_quantity_has_its_prefixes() {
        let cases = [
            (Quantity::Time, "s", "m u n p"),
            (Quantity::Size, "B", "k M G T Ki Mi Gi Ti"),
            (Quantity::Rate, "B/s", "k M G T Ki Mi Gi Ti"),
            (Quantity::Frequency, "Hz", "k M G T"),
        ];
        for (quantity, unit, known) in cases {
            let known: Vec<_> = known.split(' ').collect();
            for prefix in "m u n p k M G T Ki Mi Gi Ti".split(' ') {
                let text = format!("5 {prefix}{unit}");
                assert_eq!(parse(&text, quantity).is_ok(), known.contains(&prefix), "{text}");
            }
        }
    }

    #[test]
    fn errors_say_what_was_expected_and_found() {
        let cases = [
            ("800 MB", Quantity::Rate, "expected a rate such as \"800 MB/s\", found a size"),
            ("800", Quantity::Rate, "found a number without a unit"),
            (
                "",
                Quantity::Time,
                "expected a time such as \"410 us\", found no number of 0 or more",
            ),
            ("-4 us", Quantity::Time, "found no number of 0 or more"),
            ("4 Mb/s", Quantity::Rate, "found the unknown unit \"Mb/s\""),
            ("4 Ms", Quantity::Time, "found the unknown unit \"Ms\""),
            ("0.1 ps", Quantity::Time, "the number is finer than 1 ps"),
            ("1e40 s", Quantity::Time, "the number is too large"),
            ("1e-40 s", Quantity::Time, "the number is finer than 1 ps"),
            ("99999999999 TB", Quantity::Size, "the number is too large"),
        ];
        for (text, quantity, message) in cases {
            let error = parse(text, quantity).expect_err(text);
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,24}", odd in "[-+0-9.eE]{0,12} ?[A-Za-z/µ]{0,4}") {
            for quantity in [Quantity::Time, Quantity::Size, Quantity::Rate, Quantity::Frequency] {
                let _ = parse(&text, quantity);
                let _ = parse(&odd, quantity);
            }
        }

        #[test]
        fn whole_numbers_survive(value in 0u64..1 << 40) {
            prop_assert_eq!(parse(&format!("{value} ns"), Quantity::Time), Ok(value * 1000));
            prop_assert_eq!(parse(&format!("{value} B/s"), Quantity::Rate), Ok(value));
        }
    }
}
