"""English: what is said for what is written."""
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.speak.words.english.number import cardinal, number, ordinal, year
from visavis.speak.words.spoken import in_words

CASES = {
    "numbers": """
        1,234,567 people → one million two hundred thirty-four thousand five hundred sixty-seven people
        10000 and 1000000 → ten thousand and one million
        3.14 or 0.5 or .5 → three point one four or zero point five or zero point five
        1st, 2nd, 3rd, 12th, 21st, 1,000th → first, second, third, twelfth, twenty-first, one thousandth
        -5 degrees, −5 degrees → minus five degrees, minus five degrees
        3-5 items, 3–5 items, 3 - 5 items → three to five items, three to five items, three to five items
        007 and 48213377 → zero zero seven and four eight two one three three seven seven
        ½ cup, 2½ cups, ③ → one half cup, two and a half cups, three
        1/2, 1/3, 3/4, 2 1/2, 8/10, 24/7 → one half, one third, three quarters, two and a half, eight out of ten, twenty-four seven
        B12, MP3, H2O, GPT-4, 3D → B twelve, MP three, H two O, GPT-four, three D
        a 3-year-old → a three-year-old
        I'm 5. → I'm five.
        no numbers here: none → no numbers here: none
        ３，０００ → three thousand
        """,
    "calendar": """
        In 1999 and 2024, by 2050 → In nineteen ninety-nine and twenty twenty-four, by twenty fifty
        in 1905, 2000, 2005, 1800, 1066 → in nineteen oh five, two thousand, two thousand five, eighteen hundred, ten sixty-six
        2024 people came → two thousand twenty-four people came
        the 1990s, the '60s, her 30s, wait 30s → the nineteen nineties, the sixties, her thirties, wait thirty seconds
        1914-1918, 2024-25, 2024-11 → nineteen fourteen to nineteen eighteen, twenty twenty-four to twenty-five, November twenty twenty-four
        2024-11-29 → November twenty-ninth, twenty twenty-four
        29/11/2024 or 11/29/2024 → November twenty-ninth, twenty twenty-four or November twenty-ninth, twenty twenty-four
        4/5/2024 → four slash five slash twenty twenty-four
        2024-11-29T07:15 → November twenty-ninth, twenty twenty-four at seven fifteen
        March 5, 2024 → March fifth, twenty twenty-four
        5 March, on Nov. 3 → the fifth of March, on November third
        Mon-Fri and Jan–Mar → Monday to Friday and January to March
        7:15, 7:05, 7:00, 19:30, 19:00 → seven fifteen, seven oh five, seven o'clock, nineteen thirty, nineteen hundred
        at 7:15 a.m. on Friday → at seven fifteen AM on Friday
        It is 7 a.m. → It is seven AM.
        9-5 pm, 9:00–17:30 → nine to five PM, nine o'clock to seventeen thirty
        Open 9:00-17:00, 10:00-11:30, 08:00-12:00 → Open nine o'clock to seventeen hundred, ten o'clock to eleven thirty, eight o'clock to twelve o'clock
        00:00-23:59, 10-12:30, 12:00:05-00:30, 9:00-17h → zero hundred to twenty-three fifty-nine, ten to twelve thirty, twelve o'clock and five seconds to zero thirty, nine o'clock to seventeen hours
        on 2024-05-06 10:00-11:30, 10:30 555-0142 → on May sixth, twenty twenty-four ten o'clock to eleven thirty, ten thirty five five five, zero one four two
        05-06-2024, 13-06-2024, 1914-1918 1939-1945 → five dash six dash twenty twenty-four, June thirteenth, twenty twenty-four, nineteen fourteen to nineteen eighteen nineteen thirty-nine to nineteen forty-five
        2024-05-06T10:00-05:00 → May sixth, twenty twenty-four at ten o'clock UTC minus five
        2024-05-06T07:15:30.123Z, 2024-05-06T07:15+05:30 → May sixth, twenty twenty-four at seven fifteen and thirty seconds UTC, May sixth, twenty twenty-four at seven fifteen UTC plus five thirty
        It won 3:2 at 16:9. → It won three to two at sixteen to nine.
        """,
    "numbers with a dash that are no phone numbers": """
        won 3-2, 6-0 and 7-6 (7-4) → won three to two, six to zero and seven to six (seven to four)
        pages 10-12, pp. 100-102, pages 312-1024, 120-2000 → pages ten to twelve, pages one hundred to one hundred two, pages three hundred twelve to one thousand twenty-four, one hundred twenty to two thousand
        05-10 minutes, 0-60, John 3:16-18 → zero five to ten minutes, zero to sixty, John three sixteen to eighteen
        192.168.0.1:8080 → one hundred ninety-two dot one hundred sixty-eight dot zero dot one:eight thousand eighty
        555-0142, 020 7946 0018 → five five five, zero one four two, zero two zero, seven nine four six, zero zero one eight
        0171-555-0142 → zero one seven one, five five five, zero one four two
        """,
    "quantities": """
        $5.20, $1, $0.99, $5.00, -$5 → five dollars and twenty cents, one dollar, ninety-nine cents, five dollars, minus five dollars
        €3, £1.50, ¥100, 5 USD, 20€ → three euros, one pound and fifty pence, one hundred yen, five US dollars, twenty euros
        $1.5 million, $5m, $5-10, a $5 note → one point five million dollars, five million dollars, five to ten dollars, a five dollar note
        50%, 2.5 %, 10-20% → fifty percent, two point five percent, ten to twenty percent
        25°C, 1°C, -3 °F, 90°, −5 to 3°C → twenty-five degrees Celsius, one degree Celsius, minus three degrees Fahrenheit, ninety degrees, minus five to three degrees Celsius
        5 km, 1 km, 60 km/h, 3kg, 5 cm → five kilometres, one kilometre, sixty kilometres per hour, three kilograms, five centimetres
        80 m², 16GB, 2 kWh, 30ms, 100 Mbps → eighty square metres, sixteen gigabytes, two kilowatt hours, thirty milliseconds, one hundred megabits per second
        ~5%, > $5, 18+, +3°C → about five percent, more than five dollars, eighteen plus, plus three degrees Celsius
        I'm 5'10" → I'm five foot ten
        10x faster → ten times faster
        """,
    "signs": """
        2+2=4 → two plus two equals four
        5-3=2, 6/2=3, 3×4 = 12 → five minus three equals two, six divided by two equals three, three times four equals twelve
        2*3 → two times three
        x² + 3x - 5 → x squared plus three x minus five
        2^10, 10⁻³ → two to the power of ten, ten to the power of minus three
        1920x1080 → nineteen twenty by ten eighty
        x < y, a >= b → x is less than y, a is at least b
        a <b and c> d → a <b and c> d
        Fish & chips, AT&T → Fish and chips, AT and T
        #1, C#, C++, #tag → number one, C sharp, C plus plus, hashtag tag
        and/or, A → B, 5 @ $3 → and or, A to B, five at three dollars
        """,
    "addresses": """
        info@example.com → info at example dot com
        Call 555-0142 or (415) 555-0142. → Call five five five, zero one four two or four one five, five five five, zero one four two.
        +1 415 555 0142 → plus one, four one five, five five five, zero one four two
        100-2000 items → one hundred to two thousand items
        Call 555-123. → Call five five five, one two three.
        Dial 555-123 now → Dial five five five, one two three now
        Your number is 555-123, not 123-555. → Your number is five five five, one two three, not one hundred twenty-three to five hundred fifty-five.
        The code is 555-555, or 747-400 → The code is five five five, five five five, or seven four seven, four zero zero
        Alexander (356-323 BC), 541-485 million years ago → Alexander (three hundred fifty-six to three hundred twenty-three BC), five hundred forty-one to four hundred eighty-five million years ago
        It passed 218-212. → It passed two hundred eighteen to two hundred twelve.
        from 500-100, pages 555-123 → from five hundred to one hundred, pages five hundred fifty-five to one hundred twenty-three
        500-100 km, $500-100, 2003-1998 → five hundred to one hundred kilometres, five hundred to one hundred dollars, two thousand three to nineteen ninety-eight
        They won 112-105. → They won one hundred twelve to one hundred five.
        v2.3.1, 2.3.1, v2 → version two point three point one, two point three point one, version two
        192.168.1.1 → one hundred ninety-two dot one hundred sixty-eight dot one dot one
        a.org, main.py, Node.js → a dot org, main dot py, Node dot js
        U.S. and Ph.D. → U.S. and Ph.D.
        BA2490 in Room 204 → BA two four nine zero in Room two zero four
        """,
    "abbreviations": """
        Dr. Smith met Mr. Jones → Doctor Smith met Mister Jones
        Main St. opens; St. Paul; in St. Louis → Main Street opens; Saint Paul; in Saint Louis
        Elm Dr. is near 5th St. → Elm Drive is near fifth Street.
        cats, e.g. Tom, i.e. him, etc. → cats, for example Tom, that is him, et cetera.
        cats vs. dogs → cats versus dogs
        No. 5, no. 3, p. 7 → number five, number three, page seven
        No. That is it. → No. That is it.
        Henry VIII, Louis XIV, World War II, Chapter IV → Henry the eighth, Louis the fourteenth, World War two, Chapter four
        I, V and X; Charles I; MIX → I, V and X; Charles I; MIX
        NASA and the FBI → NASA and the FBI
        """,
}
PAIRS = [
    pytest.param(*map(str.strip, line.rsplit(" → ", 1)), id=f"{kind}: {line.strip()[:24]}")
    for kind, lines in CASES.items()
    for line in lines.strip().splitlines()
]


@pytest.mark.parametrize(("written", "said"), PAIRS)
def test_what_is_said(written: str, said: str) -> None:
    assert in_words(written, "en") == said


def value(words: str) -> int:
    """Reads a cardinal back."""
    small = {cardinal(n): n for n in (*range(20), *range(20, 100, 10))}
    scales = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
    total = group = 0
    for word in words.replace("-", " ").split():
        if word == "hundred":
            group *= 100
        elif word in scales:
            total, group = total + group * scales[word], 0
        else:
            group += small[word]
    return total + group


@given(st.integers(0, 10**15 - 1) | st.integers(0, 3000))
def test_a_cardinal_can_be_read_back(n: int) -> None:
    assert value(cardinal(n)) == n
    assert number(f"{n:,}") == cardinal(n)


@given(st.integers(1, 10**9))
def test_an_ordinal_differs_in_its_last_word_only(n: int) -> None:
    assert ordinal(n).split()[:-1] == cardinal(n).split()[:-1]
    assert ordinal(n).endswith(("st", "nd", "rd", "th"))


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (1900, "nineteen hundred"),
        (2001, "two thousand one"),
        (2010, "twenty ten"),
        (79, "seventy-nine"),
    ],
)
def test_years(n: int, said: str) -> None:
    assert year(n) == said


CLOCKS = st.builds("{}:{:02}".format, st.integers(0, 23), st.integers(0, 59)) | st.builds(
    "{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59)
)


@given(CLOCKS, CLOCKS, st.sampled_from(["-", "–", " - ", " – ", "~"]))
def test_each_end_of_a_clock_range_is_said_as_if_it_were_alone(a: str, b: str, to: str) -> None:
    assert in_words(f"{a}{to}{b}", "en") == f"{in_words(a, 'en')} to {in_words(b, 'en')}"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="0123456789.,:/-–%$€° x+=kmAVt'#@()²½", max_size=40))
def test_no_digit_is_left(written: str) -> None:
    assert not any(char.isdecimal() for char in in_words(written, "en"))
