"""Chinese amounts: money, percentages, temperatures, measures, counted things, bare numbers."""

from __future__ import annotations

import re

from visavis.speak.words import units
from visavis.speak.words.chinese.number import counted, digits, number
from visavis.speak.words.rule import DASH, GROUPS, MINUS, NUMBER, any_of, split, table

_TO = rf"(?:\s?(?:{DASH}|至|到)\s?"
_AMOUNT = rf"(?<![A-Za-z\d.])(?P<minus>{MINUS}\s?(?=\d))?(?P<n>{NUMBER}){_TO}(?P<to>-?{NUMBER}))?"
_MYRIAD = "(?P<by>[百千万亿]+)?"
_COUNTED = any_of(
    split(
        "个 只 条 张 位 名 次 天 年 周 岁 件 本 杯 瓶 块 元 角 毛 分 刻 小时 秒 里 公里 米 "
        "厘米 毫米 斤 公斤 千克 克 吨 升 毫升 亩 度 页 行 种 类 家 间 座 台 部 辆 架 艘 匹 "
        "头 双 对 组 套 份 批 群 句 段 篇 首 幅 支 根 颗 粒 片 层 步 倍 成 点 人 口 项 场 门 "
        "道 节 把 盒 箱 包 袋 碗 盘 顿 遍 趟 回 下 声 把 星期 礼拜 学期 代 国 者 半 万 亿 千 "
        "百 美元 欧元 英镑 日元 港元 字 碟 棵 朵 束 枚 滴 串 桶 罐 壶 勺 笔 册 卷 列 排 堆 "
        "副 扇 面 架 栋 幢 款 例 届"
    )
)
_CALLED = re.compile("(?:电话|號碼|号码|电码|密码|验证码|[打拨])[^。！？]{0,12}$")
_NOT_COUNTED = "(?!年级|年代|号|月|日|楼|班|等|线|级|点[零一二三四五六七八九])"


def _amount(m: re.Match[str], minus: str = "负") -> str:
    said = (minus if m["minus"] else "") + counted(m["n"])
    if not m["to"]:
        return said
    return f"{said}到{minus if m['to'][0] == '-' else ''}{counted(m['to'].lstrip('-'))}"


def _money(m: re.Match[str]) -> str:
    """$5.20 → 五点二美元; ¥3万 → 三万元."""
    n = re.sub(r"(\.\d*?)0+$", r"\1", m["n"]).rstrip(".")
    to = f"到{counted(m['to'])}" if m["to"] else ""
    minus = "负" if m["minus"] else ""
    name = units.CURRENCIES[m["mark"]].chinese
    return f"{minus}{counted(n)}{to}{m['by'] or ''}{name}"


def _percent(m: re.Match[str]) -> str:
    part = "千分之" if m["mark"] == "‰" else "百分之"
    minus = "负" if m["minus"] else ""
    said = f"{minus}{part}{number(m['n'])}"
    if not m["to"]:
        return said
    return f"{said}到{part if m['twice'] else ''}{number(m['to'].lstrip('-'))}"


def _degrees(m: re.Match[str]) -> str:
    """-3 °F → 零下三华氏度; 90° → 九十度."""
    scale = {"C": "摄氏度", "℃": "摄氏度", "F": "华氏度", "℉": "华氏度"}
    name = scale.get(m["scale"].strip("° "), "度")
    minus = "负" if name == "度" else "零下"
    said = (minus if m["minus"] else "") + number(m["n"])
    to = f"到{minus if m['to'][0] == '-' else ''}{number(m['to'].lstrip('-'))}" if m["to"] else ""
    return said + to + name


def _measure(m: re.Match[str]) -> str:
    return _amount(m) + units.chinese(m["unit"])


def _fraction(m: re.Match[str]) -> str:
    whole = f"{number(m[1])}又" if m[1] else ""
    return f"{whole}{number(m[3])}分之{number(m[2])}"


def _phone(m: re.Match[str]) -> str:
    plus = "加" if m[0].startswith("+") else ""
    return plus + "，".join(digits(group, one="幺") for group in re.findall(r"\d+", m[0]))


def _groups(m: re.Match[str]) -> str:
    """号码555-123 in groups, 公元前356-323 and 以112-105获胜 as they are."""
    called = _CALLED.search(m.string[: m.start()])
    return _phone(m) if called and int(m[1]) >= int(m[2]) else m[0]


def _code(m: re.Match[str]) -> str:
    return digits(m[0])


def _joined(m: re.Match[str]) -> str:
    return "杠".join(digits(group) for group in m[0].split("-"))


def _version(m: re.Match[str]) -> str:
    prefix = "版本" if m[1] and not m.string[m.end() :].startswith("版") else ""
    return prefix + "点".join(digits(part) for part in m[2].split("."))


def _range(m: re.Match[str]) -> str:
    """1到2天 → 一到两天; 第1到2页 numbers the pages: 第一到二页."""
    say = number if m["nth"] else counted
    return f"{m['nth']}{say(m['n'])}{m['by']}{say(m['to'])}"


def _number(m: re.Match[str]) -> str:
    before = m.string[: m.start()][-1:]
    is_code = before.isascii() and before.isalpha() and len(m["n"]) > 2 and m["n"].isdecimal()
    return ("负" if m["minus"] else "") + (digits if is_code else number)(m["n"])


PHONES = table(
    r"\d{3}",
    (r"\+\d{1,3}(?:[ -]?\d{2,4}){2,5}(?!\d)", _phone),
    (r"(?<![\w.])1[3-9]\d{9}(?!\d)|(?<=[\u4e00-\u9fff])1[3-9]\d{9}(?!\d)", _phone),
    (r"(?<![A-Za-z\d.])1[3-9]\d[ -]\d{4}[ -]\d{4}(?!\d)", _phone),
    (r"(?<![A-Za-z\d.,+-])0\d{2,3}[ -]?\d{3,4}[ -]?\d{4}(?![\d-]|[.,]\d)", _phone),
    (r"(?<![A-Za-z\d.,+-])[48]00[ -]\d{3}[ -]?\d{4}(?![\d-]|[.,]\d)", _phone),
    (r"(?<=[打拨])\s?\d{3,8}(?:-\d{2,8})*(?![\d.-]|[次个下年月天分]|小时)", _phone),
    (
        r"(?<=电话)[是为：: ]?\s?\d{3,12}(?:-\d{2,8})*(?![\d.-])",
        lambda m: m[0].rstrip("0123456789-") + _phone(m),
    ),
)
CODES = table(
    r"[A-Za-z]-?\d+-\d|\d-\d+-\d|\d[室房号路次]|[vV]\.?\d|\d\.\d+\.\d",
    (r"(?<![A-Za-z\d.,])\d{3,4}(?=室|房间|号房|路公交|次航班|次列车)", _code),
    (r"(?<=[A-Za-z])\d+(?:-\d+)+|(?<=[A-Za-z]-)\d+(?:-\d+)+", _joined),
    (r"(?<![A-Za-z\d.,])\d+(?:-\d+){2,}(?![A-Za-z\d]|[.,]\d)", _joined),
    (r"(?<![A-Za-z\d.])([vV])\.?(\d+(?:\.\d+)*)(?![\dA-Za-z]|\.\d)", _version),
    (r"(?<![A-Za-z\d.,])()(\d+(?:\.\d+){2,})(?![\dA-Za-z]|\.\d)", _version),
)
MONEY = table(
    units.CURRENCY,
    (
        rf"(?<![A-Za-z\d.])(?P<minus>{MINUS})?(?P<mark>{units.CURRENCY})\s?(?P<n>{NUMBER})"
        rf"{_TO}(?:{units.CURRENCY})?(?P<to>{NUMBER}))?\s?{_MYRIAD}(?:元|美元|欧元|日元|英镑)?",
        _money,
    ),
    (
        rf"(?<![A-Za-z\d.])(?P<minus>{MINUS})?(?P<n>{NUMBER}){_TO}(?P<to>{NUMBER}))?"
        rf"{_MYRIAD}\s?(?P<mark>{units.CURRENCY})(?![\w$])",
        _money,
    ),
)
DEGREES = table(
    "[%％‰°℃℉]",
    (
        rf"(?<![A-Za-z\d.])(?P<minus>{MINUS}\s?)?(?P<n>{NUMBER})(?P<twice>[%％](?=\s?(?:{DASH}|至|到)))?"
        rf"{_TO}(?P<to>{NUMBER}))?\s?(?P<mark>[%％‰])",
        _percent,
    ),
    (rf"{_AMOUNT}\s?(?P<scale>°\s?[CF](?![A-Za-z])|°|[℃℉])", _degrees),
)
MEASURES = table(
    r"\d\s?[A-Za-zµμΩ]|\d/\d",
    (
        rf"{_AMOUNT}\s?(?P<unit>{units.SYMBOL})",
        _measure,
    ),
    (
        r"(?<![A-Za-z\d/.,])(?:(\d{1,3})\s)?(\d{1,6})/(\d{1,6})(?![A-Za-z\d/]|[.,]\d)",
        _fraction,
    ),
)
NUMBERS = table(
    r"\d",
    (rf"(?<!第)(?<!从){GROUPS}(?!{_COUNTED})", _groups),
    (rf"(?<=\d)\s?{DASH}\s?(?=\d)", "到"),
    (
        rf"(?<![A-Za-z\d.,-])(?P<nth>第?)(?P<n>{NUMBER})\s?(?P<by>[到至])\s?(?P<to>{NUMBER})"
        rf"(?={_COUNTED}){_NOT_COUNTED}",
        _range,
    ),
    (rf"(?<![A-Za-z\d.第])2(?={_COUNTED}){_NOT_COUNTED}", "两"),
    (rf"(?P<minus>(?<![\w)\]]){MINUS}\s?|(?<=[\u4e00-\u9fff]){MINUS})?(?P<n>{NUMBER})", _number),
)
