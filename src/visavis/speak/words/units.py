"""Units of measure and currencies: how they are written, and their names in English and Chinese.

Symbols tell large letters from small ones. Left out are those that are words or letters as often
as units: in, A, B, N, K, t, pt.
"""

from __future__ import annotations

from dataclasses import dataclass

from visavis.speak.words.rule import any_of, split


@dataclass(frozen=True, slots=True)
class Unit:
    one: str
    many: str
    chinese: str


def _table(text: str) -> dict[str, Unit]:
    """Lines of: symbols parted by commas, English name, Chinese name; `_` is a space."""
    table = {}
    for line in text.strip().splitlines():
        symbols, name, chinese = line.split()
        one, _, many = name.replace("_", " ").partition("|")
        for symbol in symbols.split(","):
            table[symbol] = Unit(one, many or one + "s", chinese)
    return table


UNITS = _table("""
km kilometre 公里
m metre 米
dm decimetre 分米
cm centimetre 厘米
mm millimetre 毫米
µm,μm,um micrometre 微米
nm nanometre 纳米
mi mile 英里
ft foot|feet 英尺
yd yard 码
km²,km2,km^2 square_kilometre 平方公里
m²,m2,m^2 square_metre 平方米
cm²,cm2,cm^2 square_centimetre 平方厘米
mm²,mm2 square_millimetre 平方毫米
ft²,ft2 square_foot|square_feet 平方英尺
m³,m3,m^3 cubic_metre 立方米
cm³,cm3,cm^3 cubic_centimetre 立方厘米
ha hectare 公顷
L,l litre 升
mL,ml millilitre 毫升
kg kilogram 公斤
g gram 克
mg milligram 毫克
µg,μg,ug microgram 微克
lb,lbs pound 磅
oz ounce 盎司
tbsp tablespoon 汤匙
tsp teaspoon 茶匙
¢ cent 美分
ns nanosecond 纳秒
µs,μs,us microsecond 微秒
ms millisecond 毫秒
s,sec,secs second 秒
s²,s2,s^2 second_squared|seconds_squared 二次方秒
min,mins minute 分钟
h,hr,hrs hour 小时
d day 天
mph mile_per_hour|miles_per_hour 英里每小时
kph,kmh kilometre_per_hour|kilometres_per_hour 公里每小时
rpm revolution_per_minute|revolutions_per_minute 转每分钟
bpm beat_per_minute|beats_per_minute 次每分钟
fps frame_per_second|frames_per_second 帧每秒
Hz hertz|hertz 赫兹
kHz kilohertz|kilohertz 千赫
MHz megahertz|megahertz 兆赫
GHz gigahertz|gigahertz 吉赫
dB decibel 分贝
KB,kB kilobyte 千字节
MB megabyte 兆字节
GB gigabyte 吉字节
TB terabyte 太字节
PB petabyte 拍字节
KiB kibibyte 千字节
MiB mebibyte 兆字节
GiB gibibyte 吉字节
kbps kilobit_per_second|kilobits_per_second 千比特每秒
Mbps megabit_per_second|megabits_per_second 兆比特每秒
Gbps gigabit_per_second|gigabits_per_second 吉比特每秒
px pixel 像素
W watt 瓦
mW milliwatt 毫瓦
kW kilowatt 千瓦
MW megawatt 兆瓦
GW gigawatt 吉瓦
Wh watt_hour 瓦时
kWh kilowatt_hour 度电
mAh milliamp_hour 毫安时
V volt 伏
kV kilovolt 千伏
mA milliamp 毫安
J joule 焦耳
kJ kilojoule 千焦
cal calorie 卡
kcal kilocalorie 千卡
Pa pascal|pascals 帕
hPa hectopascal 百帕
kPa kilopascal 千帕
Ω,\u2126 ohm 欧姆
""")

_PER = any_of(split("s s² s^2 min h hr d m m² m³ km L l kg"))
SYMBOL = rf"{any_of(UNITS)}(?:/{_PER})?(?![A-Za-z\d²³/])"
"""A unit, or one per another, with nothing glued behind it."""


def english(symbol: str, *, one: bool) -> str:
    """km/h: kilometre(s) per hour."""
    unit, _, per = symbol.partition("/")
    name = UNITS[unit].one if one else UNITS[unit].many
    return f"{name} per {UNITS[per].one}" if per else name


def chinese(symbol: str) -> str:
    """km/h: 公里每小时."""
    unit, _, per = symbol.partition("/")
    return UNITS[unit].chinese + (f"每{UNITS[per].chinese}" if per else "")


@dataclass(frozen=True, slots=True)
class Currency:
    """`cent` and `cents`: the hundredth part; empty where nobody counts it."""

    one: str
    many: str
    chinese: str
    cent: str = ""
    cents: str = ""


_DOLLAR = Currency("dollar", "dollars", "美元", "cent", "cents")
_YUAN = Currency("yuan", "yuan", "元")
CURRENCIES = {
    "$": _DOLLAR,
    "US$": Currency("US dollar", "US dollars", "美元", "cent", "cents"),
    "USD": Currency("US dollar", "US dollars", "美元", "cent", "cents"),
    "HK$": Currency("Hong Kong dollar", "Hong Kong dollars", "港元", "cent", "cents"),
    "A$": Currency("Australian dollar", "Australian dollars", "澳元", "cent", "cents"),
    "C$": Currency("Canadian dollar", "Canadian dollars", "加元", "cent", "cents"),
    "€": Currency("euro", "euros", "欧元", "cent", "cents"),
    "EUR": Currency("euro", "euros", "欧元", "cent", "cents"),
    "£": Currency("pound", "pounds", "英镑", "penny", "pence"),
    "GBP": Currency("pound", "pounds", "英镑", "penny", "pence"),
    "¥": Currency("yen", "yen", "元"),  # in Chinese text it is the yuan's sign
    "￥": Currency("yuan", "yuan", "元"),
    "JPY": Currency("yen", "yen", "日元"),
    "CNY": _YUAN,
    "RMB": _YUAN,
    "₩": Currency("won", "won", "韩元"),
    "₹": Currency("rupee", "rupees", "卢比"),
}
CURRENCY = any_of(CURRENCIES)
