"""Chinese: what is said for what is written."""
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.speak.words.chinese.number import cardinal, number
from visavis.speak.words.spoken import in_words

CASES = """
    共1,234,567人，１，２００元 → 共一百二十三万四千五百六十七人，一千二百元
    3.14，0.5，-5，007 → 三点一四，零点五，负五，零零七
    102，1002，10010，12000，1010 → 一百零二，一千零二，一万零一十，一万两千，一千零一十
    2个，12个，22个，2年，2天，2人 → 两个，十二个，二十二个，两年，两天，两人
    第2，2月，2号，2楼，2年级 → 第二，二月，二号，二楼，二年级
    200，2000，20000，2万，2222 → 两百，两千，两万，两万，两千二百二十二
    3-5天，3~5个，第3，4名 → 三到五天，三到五个，第三，四名
    1-2天，2-3个，2~2.5倍，1～2小时，10-12次 → 一到两天，两到三个，两到二点五倍，一到两小时，十到十二次
    1至2天，2到3天，2 - 3 天，等到2点，2-3万，-2到2个 → 一至两天，两到三天，两到三天，等到两点，两到三万，负二到两个
    2-3 km，1-2公里，1-2元，$1-2，€2-2.5 → 两到三公里，一到两公里，一到两元，一到两美元，两到二点五欧元
    第1-2页，第2到3个，1-2号，2-3楼，1-2年级，2-3，1-2% → 第一到二页，第二到三个，一到二号，二到三楼，一到二年级，二到三，百分之一到二
    1/2的人，2 1/2，3倍 → 二分之一的人，二又二分之一，三倍
    50%，0.1%，10%-20%，10-20%，3‰ → 百分之五十，百分之零点一，百分之十到百分之二十，百分之十到二十，千分之三
    2024年3月5日，1999年，90年代，1990年代 → 二〇二四年三月五日，一九九九年，九十年代，一九九〇年代
    1999-2024年，24年，20世纪，3月5-7日 → 一九九九到二〇二四年，二十四年，二十世纪，三月五到七日
    2024-11-29，2024/11/29，29/11/2024 → 二〇二四年十一月二十九日，二〇二四年十一月二十九日，二〇二四年十一月二十九日
    7:15，7:05，7:00，19:30，12:30:15 → 七点十五分，七点零五分，七点，十九点三十分，十二点三十分十五秒
    时间：9:00-17:30，7:15 a.m.开门，2点 → 时间：九点到十七点三十分，上午七点十五分开门，两点
    2024-05-06T10:00-05:00，2024-05-06T07:15Z → 二〇二四年五月六日十点UTC减五，二〇二四年五月六日七点十五分UTC
    1-2月，1月2-3日 → 一到二月，一月二到三日
    比分3:2，比分21:15，16:9 → 比分三比二，比分二十一比十五，十六比九
    $5.20，¥100，€3，£2，¥3万，-$5，$5-10 → 五点二美元，一百元，三欧元，两英镑，三万元，负五美元，五到十美元
    25°C，-3℃，-10~5℃，90° → 二十五摄氏度，零下三摄氏度，零下十到五摄氏度，九十度
    跑了5 km，60km/h，3kg，2km → 跑了五公里，六十公里每小时，三公斤，两公里
    80m²，16GB内存，2 kWh，30ms → 八十平方米，十六吉字节内存，两度电，三十毫秒
    2+2=4，3×4，5-3=2，6/2=3，5>3，x²=4 → 二加二等于四，三乘四，五减三等于二，六除以二等于三，五大于三，x平方等于四
    电话13812345678，拨打110，010-12345678 → 电话幺三八幺二三四五六七八，拨打幺幺零，零幺零，幺二三四五六七八
    电话555-123，拨555-123，号码是555-123。 → 电话五五五，幺二三，拨五五五，幺二三，号码是五五五，幺二三。
    123-555，从500-100，第500-100页，500-100米，200-100个 → 一百二十三到五百五十五，从五百到一百，第五百到一百页，五百到一百米，两百到一百个
    以112-105获胜 → 以一百一十二到一百零五获胜
    打3次电话，302室，身份证110101199003077777 → 打三次电话，三零二室，身份证一一零一零一一九九零零三零七七七七七
    v2.3.1版本，A4纸，5G网络，CA1234 → 二点三点一版本，A四纸，五G网络，CA一二三四
    甲&乙，约5个，~5个，#1 → 甲和乙，约五个，约五个，一号
    没有数字。 → 没有数字。
"""
MIXED = """
    我用Python 3.11写了2个程序。 → 我用Python 三点一一写了两个程序。
    他说“Hello World 2024”很好 → 他说“Hello World twenty twenty-four”很好
    用 iPhone 15 Pro 拍了3张 → 用 iPhone fifteen Pro 拍了三张
    I said 你好 3 times. → I said 你好 three times.
    The word 今天 has 2 characters. → The word 今天 has two characters.
    发到 info@example.com，7:15见 → 发到 info at example dot com，七点十五分见
"""


def pairs(lines: str) -> list[list[str]]:
    return [[part.strip() for part in line.split(" → ")] for line in lines.strip().splitlines()]


@pytest.mark.parametrize(("written", "said"), pairs(CASES))
def test_what_is_said(written: str, said: str) -> None:
    assert in_words(written, "zh") == said


@pytest.mark.parametrize("language", ["zh", "en", ""])
@pytest.mark.parametrize(("written", "said"), pairs(MIXED))
def test_a_number_follows_the_language_around_it(written: str, said: str, language: str) -> None:
    assert in_words(written, language) == said


def test_other_languages_are_left_to_their_voices() -> None:
    assert in_words("Il est 7:15, 25°C & 3 km.", "fr") == "Il est 7:15, 25°C & 3 km."
    assert in_words("彼は42歳です。") == "彼は42歳です。"
    assert in_words("彼42歳。", "ja") == "彼42歳。"


def value(said: str) -> int:
    """Reads a cardinal back."""
    digits = dict(zip("零一二三四五六七八九两", [*range(10), 2], strict=True))
    places = {"十": 10, "百": 100, "千": 1000}
    total = section = digit = 0
    for char in said:
        if char in digits:
            digit = digits[char]
        elif char in places:
            section += (digit or 1) * places[char]
            digit = 0
        else:
            scale = {"万": 10**4, "亿": 10**8}[char]
            total = (
                (total + section + digit) * scale
                if scale > total
                else total + (section + digit) * scale
            )
            section = digit = 0
    return total + section + digit


@given(st.integers(0, 10**12 - 1) | st.integers(0, 30_000))
def test_a_cardinal_can_be_read_back(n: int) -> None:
    assert value(cardinal(n)) == n
    assert number(f"{n:,}") == cardinal(n)


@given(st.integers(1, 99), st.integers(1, 99), st.sampled_from("-–~～至到"))
def test_each_end_of_a_range_is_said_as_if_it_were_alone(a: int, b: int, to: str) -> None:
    first, second = in_words(f"{a}个", "zh"), in_words(f"{b}个", "zh")
    by = to if to == "至" else "到"
    assert in_words(f"{a}{to}{b}个", "zh") == f"{first[:-1]}{by}{second}"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="0123456789.,:：/-–%$¥° +=kmCv年月日号个第点到", max_size=40))
def test_no_digit_is_left(written: str) -> None:
    assert not any(char.isdecimal() for char in in_words(written, "zh"))
