"""Chinese turns in a table: each kind of ending, finished and not."""

from __future__ import annotations

import pytest

from visavis.perceive.completeness import completeness

from .tables import lines

FINISHED = """
厕所在哪
你去哪？
这是哪
今天星期几？
三加五等于几
用英语怎么说
这个英语怎么说？
给我这个
读一下这个
我想吃这个
红色的那个
左边那个
这是我的
那是你的。
等等我
别管我
相信我
他喜欢我
五分钟后提醒我
不可能
怎么可能
提醒我明天开会
我想去成都
人工智能
明天是星期一
哪一个
下一个
再来一个
再来一首
当然可以
当然了
应该是
我觉得是
要不要？
他是老师，是不是
你吃饭了没有
房间号是三零二
拨打一二零
打110
你好，现在几点
我想知道现在几点
我想买一张票
帮我查一下明天的天气
播放一首周杰伦的歌
不管怎么样我都要去
关于北京你知道什么
为什么他不来
谁发明了电灯
从北京到上海要多久
他说他不来。
"""

UNFINISHED = """
你觉得哪
我觉得，怎么说
我不知道该怎么
告诉我怎么
我想知道为什么
那个
帮我把这个
我喜欢你的
今天我
告诉我
提醒我
我昨天买了一
他可能
明天会
我想要一个
播放一首
请给我一杯
打开客厅的
当我小时候
你能不能？
你有没有
你是不是
我的手机号是一三。
我想问一下。
你好，我想问一下。
我有一个问题。
我想知道。
他跟我说。
不是，我是说。
帮我查一下
提醒我明天
为什么他
我今天
我小时候。
我在北京的时候。
从北京到。
关于这个问题。
不管怎么样
一加一等于。
一百除以。
三乘
你知道哪里有
谁发明了
我要去北京，不对。
"""


@pytest.mark.parametrize("text", lines(FINISHED))
def test_finished(text: str) -> None:
    assert completeness(text).log_odds >= 0.5, completeness(text)


@pytest.mark.parametrize("text", lines(UNFINISHED))
def test_unfinished(text: str) -> None:
    assert completeness(text).log_odds <= 0.4, completeness(text)
