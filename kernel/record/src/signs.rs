//! Signs outside ASCII as commands of LaTeX, which every engine and every font encoding takes.

/// How a sign is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A command of mathematics.
    Math(&'static str),
    /// A command of text.
    Text(&'static str),
    /// A letter with an accent: the accent in text, the letter.
    Accented(&'static str, char),
    /// Above the line.
    Super(&'static str),
    /// Below the line.
    Sub(&'static str),
    /// An accent over the sign before it, in mathematics.
    Accent(&'static str),
}

/// How a sign outside ASCII is set; none for one that this table does not know.
pub fn sign(c: char) -> Option<Sign> {
    greek(c).or_else(|| operator(c)).map(Sign::Math).or_else(|| text(c)).or_else(|| script(c)).or_else(|| accented(c))
}

/// What a sign is in mathematics; none for signs of text.
pub fn in_math(c: char) -> Option<&'static str> {
    greek(c).or_else(|| operator(c))
}

fn greek(c: char) -> Option<&'static str> {
    Some(match c {
        'α' => "\\alpha",
        'β' => "\\beta",
        'γ' => "\\gamma",
        'δ' => "\\delta",
        'ε' => "\\varepsilon",
        'ϵ' => "\\epsilon",
        'ζ' => "\\zeta",
        'η' => "\\eta",
        'θ' => "\\theta",
        'ϑ' => "\\vartheta",
        'ι' => "\\iota",
        'κ' => "\\kappa",
        'λ' => "\\lambda",
        'μ' | 'µ' => "\\mu",
        'ν' => "\\nu",
        'ξ' => "\\xi",
        'π' => "\\pi",
        'ρ' => "\\rho",
        'ϱ' => "\\varrho",
        'σ' => "\\sigma",
        'ς' => "\\varsigma",
        'τ' => "\\tau",
        'υ' => "\\upsilon",
        'φ' => "\\varphi",
        'ϕ' => "\\phi",
        'χ' => "\\chi",
        'ψ' => "\\psi",
        'ω' => "\\omega",
        'Γ' => "\\Gamma",
        'Δ' | '∆' => "\\Delta",
        'Θ' => "\\Theta",
        'Λ' => "\\Lambda",
        'Ξ' => "\\Xi",
        'Π' => "\\Pi",
        'Σ' => "\\Sigma",
        'Υ' => "\\Upsilon",
        'Φ' => "\\Phi",
        'Ψ' => "\\Psi",
        'Ω' => "\\Omega",
        _ => return None,
    })
}

fn operator(c: char) -> Option<&'static str> {
    Some(match c {
        '−' => "-",
        '±' => "\\pm",
        '∓' => "\\mp",
        '×' => "\\times",
        '·' | '⋅' => "\\cdot",
        '÷' => "\\div",
        '∗' => "\\ast",
        '∘' => "\\circ",
        '⊗' => "\\otimes",
        '⊕' => "\\oplus",
        '⊙' => "\\odot",
        '≈' => "\\approx",
        '≃' => "\\simeq",
        '≅' => "\\cong",
        '∼' => "\\sim",
        '≍' => "\\asymp",
        '≡' => "\\equiv",
        '≠' => "\\ne",
        '≤' => "\\le",
        '≥' => "\\ge",
        '≪' => "\\ll",
        '≫' => "\\gg",
        '≲' => "\\lesssim",
        '≳' => "\\gtrsim",
        '∝' => "\\propto",
        '→' => "\\to",
        '←' => "\\leftarrow",
        '↔' => "\\leftrightarrow",
        '↦' => "\\mapsto",
        '↑' => "\\uparrow",
        '↓' => "\\downarrow",
        '⇒' => "\\Rightarrow",
        '⇔' => "\\Leftrightarrow",
        '∈' => "\\in",
        '∉' => "\\notin",
        '⊂' => "\\subset",
        '⊆' => "\\subseteq",
        '∪' => "\\cup",
        '∩' => "\\cap",
        '∅' => "\\emptyset",
        '∀' => "\\forall",
        '∃' => "\\exists",
        '¬' => "\\neg",
        '∧' => "\\wedge",
        '∨' => "\\vee",
        '∇' => "\\nabla",
        '∂' => "\\partial",
        '∑' => "\\sum",
        '∏' => "\\prod",
        '∫' => "\\int",
        '√' => "\\surd",
        '∞' => "\\infty",
        '⊤' => "\\top",
        '⊥' => "\\bot",
        '‖' | '∥' => "\\Vert",
        '∣' => "\\mid",
        '⟨' => "\\langle",
        '⟩' => "\\rangle",
        '⌈' => "\\lceil",
        '⌉' => "\\rceil",
        '⌊' => "\\lfloor",
        '⌋' => "\\rfloor",
        'ℓ' => "\\ell",
        'ℝ' => "\\mathbb{R}",
        'ℕ' => "\\mathbb{N}",
        'ℤ' => "\\mathbb{Z}",
        'ℂ' => "\\mathbb{C}",
        '𝔼' => "\\mathbb{E}",
        '′' => "{}'",
        '½' => "\\frac{1}{2}",
        '¼' => "\\frac{1}{4}",
        '¾' => "\\frac{3}{4}",
        '⅓' => "\\frac{1}{3}",
        '⅔' => "\\frac{2}{3}",
        '°' => "{}^{\\circ}",
        '✓' => "\\checkmark",
        '✗' => "\\times",
        _ => return None,
    })
}

fn text(c: char) -> Option<Sign> {
    Some(Sign::Text(match c {
        '–' => "--",
        '—' => "---",
        '‐' | '‑' => "-",
        '“' => "``",
        '”' => "''",
        '„' => ",,",
        '‘' => "`",
        '’' => "'",
        '…' => "\\ldots{}",
        '•' => "\\textbullet{}",
        '§' => "\\S{}",
        '¶' => "\\P{}",
        'ß' => "\\ss{}",
        'æ' => "\\ae{}",
        'Æ' => "\\AE{}",
        'œ' => "\\oe{}",
        'ø' => "\\o{}",
        'Ø' => "\\O{}",
        'ł' => "\\l{}",
        'Ł' => "\\L{}",
        'ı' => "\\i{}",
        '\u{a0}' | '\u{202f}' => "~",
        '\u{2009}' => "\\,",
        _ => return None,
    }))
}

fn script(c: char) -> Option<Sign> {
    const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let digit = |from: char| DIGITS.get((c as usize).checked_sub(from as usize)?).copied();
    Some(match c {
        '¹' => Sign::Super("1"),
        '²' => Sign::Super("2"),
        '³' => Sign::Super("3"),
        '⁰' | '⁴'..='⁹' => Sign::Super(digit('⁰')?),
        '⁺' => Sign::Super("+"),
        '⁻' => Sign::Super("-"),
        'ᵀ' => Sign::Super("\\top "),
        'ⁱ' => Sign::Super("i"),
        'ᵏ' => Sign::Super("k"),
        'ᵐ' => Sign::Super("m"),
        'ⁿ' => Sign::Super("n"),
        'ᵈ' => Sign::Super("d"),
        'ᵗ' => Sign::Super("t"),
        'ˣ' => Sign::Super("x"),
        '₀'..='₉' => Sign::Sub(digit('₀')?),
        '₊' => Sign::Sub("+"),
        '₋' => Sign::Sub("-"),
        'ᵢ' => Sign::Sub("i"),
        'ⱼ' => Sign::Sub("j"),
        'ₖ' => Sign::Sub("k"),
        'ₘ' => Sign::Sub("m"),
        'ₙ' => Sign::Sub("n"),
        'ₜ' => Sign::Sub("t"),
        'ₓ' => Sign::Sub("x"),
        '\u{300}' => Sign::Accent("\\grave"),
        '\u{301}' => Sign::Accent("\\acute"),
        '\u{302}' => Sign::Accent("\\hat"),
        '\u{303}' => Sign::Accent("\\tilde"),
        '\u{304}' | '\u{305}' => Sign::Accent("\\bar"),
        '\u{307}' => Sign::Accent("\\dot"),
        '\u{308}' => Sign::Accent("\\ddot"),
        '\u{20d7}' => Sign::Accent("\\vec"),
        _ => return None,
    })
}

/// Letters that Unicode holds together with their accent, beside the letters alone.
const ACCENTED: [(&str, &str, &str); 9] = [
    ("\\`", "ÀÈÌÒÙàèìòù", "AEIOUaeiou"),
    ("\\'", "ÁÉÍÓÚÝáéíóúýćńśź", "AEIOUYaeiouycnsz"),
    ("\\^", "ÂÊÎÔÛâêîôûĉĝĥĵŝŵŷŴŶ", "AEIOUaeioucghjswyWY"),
    ("\\~", "ÃÑÕãñõũ", "ANOanou"),
    ("\\\"", "ÄËÏÖÜäëïöüÿ", "AEIOUaeiouy"),
    ("\\=", "ĀĒŌŪȲāēōūȳ", "AEOUYaeouy"),
    ("\\v", "ČŘŠŽčěřšž", "CRSZcersz"),
    ("\\.", "ĊĖŻẊẎċėżẋẏ", "CEZXYcezxy"),
    ("\\c", "Çç", "Cc"),
];

fn accented(c: char) -> Option<Sign> {
    ACCENTED.iter().find_map(|(accent, letters, plain)| {
        let at = letters.chars().position(|letter| letter == c)?;
        Some(Sign::Accented(accent, plain.chars().nth(at)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accented_letter_has_its_plain_one() {
        for (_, letters, plain) in ACCENTED {
            assert_eq!(letters.chars().count(), plain.chars().count(), "{letters}");
            assert!(plain.is_ascii());
        }
        assert_eq!(sign('Ȳ'), Some(Sign::Accented("\\=", 'Y')));
        assert_eq!(sign('ż'), Some(Sign::Accented("\\.", 'z')));
    }

    #[test]
    fn scripts_are_found_in_their_runs() {
        let supers = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        for (value, c) in supers.into_iter().enumerate() {
            let Some(Sign::Super(text)) = sign(c) else {
                panic!("{c} is not above the line");
            };
            assert_eq!(text, value.to_string());
        }
        assert_eq!(sign('₄'), Some(Sign::Sub("4")));
        assert_eq!(sign('⁻'), Some(Sign::Super("-")));
        assert_eq!(sign('☃'), None);
    }
}
