"""Formulas are read, and money is no formula."""

from __future__ import annotations

import pytest

from visavis.speak.speakable import plain


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        (r"So \(x^2 + y_1\) is it.", "So x squared plus y one is it."),
        ("Thus $E = mc^2$ and $x$.", "Thus E equals mc squared and x."),
        (r"$$\frac{a+b}{2} \le \sqrt{n}$$", "a plus b over two is at most square root of n"),
        (
            r"\[ \pi \approx 3.14 \times 10^{-3} \]",
            "pi is about three point one four times ten to the power of minus three",
        ),
        (r"\frac{1}{2} and 90^\circ", "one half and ninety degrees"),
        (r"$\int_0^1 x\,dx$", "integral from zero to one of x dx"),
        (r"$\sum_{i=1}^{n} i$", "sum from i equals one to n of i"),
        (r"$\text{rate} = 5\%$", "rate equals five percent"),
        ("$$\n", ""),
        ("It is $5 and $6_000.", "It is five dollars and six dollars zero zero zero."),
        ("$5 = cheap, $6 = dear", "five dollars equals cheap, six dollars equals dear"),
        (r"C:\Users\me", "C: Users me"),
    ],
)
def test_formulas(written: str, spoken: str) -> None:
    assert plain(written) == spoken
