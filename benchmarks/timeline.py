"""A quarter of an hour of what a camera and a shared screen showed, and questions about it.

Data and the way to ask: `answers` plays the views to the visual memory and gives what it recalls
for each question. Used by `eyes.py` and by tests/memory; prints nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from visavis.backends.contract import Embedder
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.memory.visual import VisualMemory


@dataclass(frozen=True, slots=True)
class Shown:
    """From `at_s` on the stream shows the view `id`, of which this is known in words."""

    at_s: float
    id: str
    described: str = ""
    written: str = ""
    stream: str = "camera"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question at `at_s`, and the view that answers it; empty = none, or what is seen now."""

    at_s: float
    text: str
    view: str = ""


VIEWS = (
    Shown(0, "desk", "an empty desk by a window"),
    Shown(20, "red-box", "a red box on the desk"),
    Shown(50, "cat", "a cat sits on the chair"),
    Shown(75, "title", written="Quarterly review\nMarch 2027", stream="screen"),
    Shown(80, "exit", "a green sign over a door", "EXIT 12"),
    Shown(110, "blue-cup", "a blue cup and a spoon on the table"),
    Shown(140, "menu-zh", "一张菜单", "红烧牛肉面 28元\n番茄鸡蛋面 22元"),
    Shown(170, "man", "a man with a black hat"),
    Shown(200, "sales", written="Sales by region\nEurope 41 %\nAsia 37 %", stream="screen"),
    Shown(210, "keys", "keys and a wallet on a shelf"),
    Shown(240, "mute-1"),
    Shown(270, "apple", "three green apples in a bowl"),
    Shown(300, "book", "a yellow book", "The Old Lighthouse"),
    Shown(330, "poster-zh", "墙上的海报", "春季音乐会\n四月十八日 晚上七点"),
    Shown(360, "costs", written="Costs\nRent 12,000\nTravel 3,400", stream="screen"),
    Shown(365, "red-cup", "a red cup beside a laptop"),
    Shown(400, "dog", "a brown dog with a ball"),
    Shown(430, "ticket", "a train ticket", "Platform 9\nDeparture 14:35"),
    Shown(470, "bottle", "a bottle of water and a glass"),
    Shown(500, "parcel-zh", "一个白色的箱子", "易碎物品 请轻放"),
    Shown(530, "mute-2"),
    Shown(560, "plan", written="Next steps\nHire two engineers", stream="screen"),
    Shown(565, "woman", "a woman in a purple coat"),
    Shown(600, "flowers", "white flowers in a vase"),
    Shown(640, "board", "a whiteboard", "Call Maria\nphone 555 0142"),
    Shown(680, "blue-box", "a blue box with a ribbon"),
    Shown(720, "medicine", "a packet of tablets", "Ibuprofen 400 mg"),
    Shown(760, "umbrella", "a black umbrella by the door"),
    Shown(800, "thanks", written="Thank you\nQuestions?", stream="screen"),
    Shown(810, "hand", "an open hand"),
)

QUESTIONS = (
    # before what is there now
    Ask(60, "What did you see before?", "red-box"),
    Ask(60, "What was here just now?", "red-box"),
    Ask(130, "What did the sign say just now?", "exit"),
    Ask(130, "你刚才看到了什么？", "exit"),
    Ask(185, "刚才那张菜单上写着什么？", "menu-zh"),
    Ask(185, "之前桌上有什么？", "blue-cup"),
    Ask(230, "Who was there before?", "man"),
    Ask(260, "Where did you see my keys?", "keys"),
    Ask(260, "你看到我的钥匙了吗？", "keys"),
    Ask(290, "What was that before?", "mute-1"),
    Ask(320, "How many apples were there earlier?", "apple"),
    Ask(350, "What was the title of the book I showed you earlier?", "book"),
    Ask(420, "What was I holding before?", "red-cup"),
    Ask(820, "Show me the previous slide again.", "plan"),
    Ask(820, "上一页幻灯片写的是什么？", "plan"),
    Ask(820, "What did you see previously on the camera?", "umbrella"),
    # by what was there
    Ask(420, "What colour was the cup before?", "red-cup"),
    Ask(450, "之前那个红盒子在哪里？", "red-box"),
    Ask(450, "The cat you saw earlier, where was it?", "cat"),
    Ask(520, "之前那只猫在哪？", "cat"),
    Ask(700, "What was the platform on the ticket earlier?", "ticket"),
    Ask(700, "音乐会是几点？刚才海报上写了。", "poster-zh"),
    Ask(700, "Which phone number was on the whiteboard before?", "board"),
    Ask(740, "刚才白板上的电话是多少？", "board"),
    Ask(840, "How much was the rent on the slide before?", "costs"),
    Ask(840, "刚才的牛肉面多少钱？", "menu-zh"),
    Ask(840, "What did the first slide show?", "title"),
    Ask(840, "What was the very first thing you saw?", "desk"),
    Ask(840, "你一开始看到的是什么？", "desk"),
    Ask(840, "Did you see a dog earlier?", "dog"),
    Ask(840, "Have you seen my umbrella?", "umbrella"),
    Ask(840, "刚才那个白色的箱子上写着什么？", "parcel-zh"),
    # by the time
    Ask(120, "What did you see half a minute ago?", "exit"),
    Ask(120, "What was on the table a minute ago?", "cat"),
    Ask(330, "What was on the table five minutes ago?", "red-box"),
    Ask(420, "一分钟前你看到了什么？", "poster-zh"),
    Ask(420, "两分钟前桌上有什么？", "book"),
    Ask(500, "What did the camera show thirty seconds ago?", "bottle"),
    Ask(590, "半分钟前那里有什么？", "mute-2"),
    Ask(560, "What was there a minute ago?", "parcel-zh"),
    Ask(620, "十五秒前是什么？", ""),
    Ask(620, "What was on the screen two minutes ago?", "costs"),
    Ask(660, "What were you looking at a minute and a half ago?", "woman"),
    Ask(780, "五分钟前你看到的是什么？", "bottle"),
    Ask(840, "What did you see ten minutes ago?", "mute-1"),
    Ask(840, "What did you see twelve minutes ago?", "blue-cup"),
    Ask(840, "一刻钟前你看到了什么？", "desk"),
    # by both
    Ask(90, "The red box a minute ago, where was it?", "red-box"),
    Ask(90, "一分钟前那个红盒子", "red-box"),
    Ask(420, "The red cup a minute ago, what stood beside it?", "red-cup"),
    Ask(700, "What did the ticket say four minutes ago?", "ticket"),
    Ask(780, "两分钟前那个蓝色的盒子", "blue-box"),
    # nothing that was seen, or nothing that can be found
    Ask(840, "How long ago was the war?"),
    Ask(840, "What did you say before?"),
    Ask(840, "你刚才说什么？"),
    Ask(840, "Have you ever seen a whale before?"),
    Ask(840, "What did you see yesterday?"),
    Ask(840, "昨天你看到了什么？"),
    Ask(840, "What do you see now?"),
    Ask(840, "半小时前你看到了什么？"),
)

FURTHER = (
    Ask(65, "What was there before the cat came?", "red-box"),
    Ask(100, "Okay, and what did I show you a moment ago?", "cat"),
    Ask(135, "Can you remember what the sign over the door said earlier?", "exit"),
    Ask(135, "那个出口的牌子刚才写的几号？", "exit"),
    Ask(200, "Was there a menu earlier?", "menu-zh"),
    Ask(205, "刚刚那个人戴着什么颜色的帽子？", ""),
    Ask(235, "Where did I leave my wallet?", ""),
    Ask(300, "What fruit did you see twenty seconds ago?", "apple"),
    Ask(345, "刚才那本书叫什么名字？", "book"),
    Ask(380, "When is the concert? It was on the poster just now.", "poster-zh"),
    Ask(455, "What animal was here a minute ago?", "dog"),
    Ask(455, "刚才那只狗是什么颜色的？", "dog"),
    Ask(460, "What time did my train leave? You saw the ticket before.", ""),
    Ask(600, "what did you see around forty seconds ago", "mute-2"),
    Ask(660, "你大约两分钟前看到了什么", "mute-2"),
    Ask(650, "What did the slide about costs say earlier?", "costs"),
    Ask(650, "之前幻灯片上欧洲占多少？", "sales"),
    Ask(690, "a couple of minutes ago there was a woman, what was she wearing?", "woman"),
    Ask(730, "The phone number from before, what was it?", "board"),
    Ask(735, "刚才那个蓝盒子上面有什么？", "blue-box"),
    Ask(800, "What pills did I show you before?", "medicine"),
    Ask(805, "我刚才给你看的药是什么？", "medicine"),
    Ask(830, "What was the last thing you saw before this?", "umbrella"),
    Ask(830, "Tell me what was on the desk at the beginning.", "desk"),
    Ask(830, "三分钟前白板上写的是什么？", "board"),
    Ask(830, "What was in front of you one hundred seconds ago?", "medicine"),
    Ask(830, "十分钟前你看到了什么？", "keys"),
    Ask(830, "你还记得最早那张幻灯片吗？", "title"),
    Ask(830, "What colour was the box with the ribbon?", "blue-box"),
    Ask(830, "Do you remember the flowers from earlier?", "flowers"),
    Ask(830, "What did the man with the hat look like a while ago?", "man"),
    Ask(830, "I told you before that I like tea."),
    Ask(830, "Wash the dishes before dinner, please."),
    Ask(830, "What happened in Rome two thousand years ago?"),
    Ask(830, "Who won the match last night?"),
    Ask(830, "我们之前聊了什么？"),
    Ask(830, "三年前你在哪里？"),
    Ask(830, "吃饭之前要做什么？"),
    Ask(830, "How many minutes are there in an hour?"),
    Ask(830, "Let us talk about that later."),
    Ask(830, "What did I ask you a minute ago?"),
    Ask(830, "Five minutes ago I drank a coffee."),
    Ask(830, "Is it going to rain before noon?"),
    Ask(830, "Was it you who called just now?"),
    Ask(830, "我刚才吃了一个苹果。"),
    Ask(95, "hey what was the animal on the chair a few seconds ago", "cat"),
    Ask(150, "can you describe the cup that was here earlier", "blue-cup"),
    Ask(155, "刚才那个杯子是什么颜色？", "blue-cup"),
    Ask(225, "Who did you see about thirty seconds ago?", "man"),
    Ask(225, "半分钟前你看到了谁？", "man"),
    Ask(310, "Before the book, what was in front of you?", "apple"),
    Ask(320, "在书之前你看到的是什么？", "apple"),
    Ask(370, "How many people were there a couple of minutes ago?", "mute-1"),
    Ask(410, "And what stood next to the laptop before?", "red-cup"),
    Ask(445, "What did you see two minutes earlier?", "book"),
    Ask(520, "我刚才给你看的票上写的几号站台？", "ticket"),
    Ask(540, "一分钟前是什么东西？", "bottle"),
    Ask(570, "What was written on the white box?", "parcel-zh"),
    Ask(570, "那个白箱子刚才写了什么？", "parcel-zh"),
    Ask(615, "What was she wearing just now?", "woman"),
    Ask(660, "刚才花瓶里是什么花？", "flowers"),
    Ask(700, "Whose number did I show you a minute ago?", "board"),
    Ask(700, "In the last minute, what did you see on the whiteboard?", "board"),
    Ask(790, "I need that pill packet from a minute ago, what was it called?", "medicine"),
    Ask(790, "七八分钟前你看到什么？", "poster-zh"),
    Ask(820, "What did the last slide say?", "plan"),
    Ask(820, "开头屏幕上显示的是什么？", "title"),
    Ask(830, "where's the dog that was here before", "dog"),
    Ask(830, "What was the price of the tomato noodles before?", ""),
    Ask(830, "番茄鸡蛋面刚才是多少钱？", "menu-zh"),
    Ask(825, "thirteen minutes ago, what did you see?", "red-box"),
    Ask(830, "刚才你看到几个苹果？", "apple"),
    Ask(830, "Did you sleep well before?"),
    Ask(830, "The last time I saw you was two weeks ago."),
    Ask(830, "我们先前说到哪里了？"),
    Ask(830, "Could you repeat what you said a moment ago?"),
    Ask(830, "几千年前的埃及是什么样的？"),
    Ask(830, "Please look at this."),
    Ask(830, "I have been here before."),
    Ask(830, "What comes before the letter D in the alphabet?"),
    Ask(830, "饭前要洗手吗？"),
    Ask(830, "Do I have any meetings before three?"),
    Ask(830, "She left an hour ago."),
)
"""Asked when the rules were made: of the first 45 they answered 34 before any was looked at, of the
other 38, after that, 35."""


def answers(questions: Sequence[Ask], embedder: Embedder | None = None) -> Iterator[str]:
    """The id of the view that is recalled for each question, empty = none; asked in their order of
    time, each as if it were the only one."""
    for trace, ask in enumerate(questions, 1):
        memory = VisualMemory(16 << 20, embedder)
        for event in _seen_until(ask.at_s):
            list(memory.on(event))
        words = e.WordsHeard(
            t_ns=_ns(ask.at_s), trace=trace, text=ask.text, stable=0, final=True, start=0, end=0
        )
        recalled = [event for event in memory.on(words) if isinstance(event, e.MemoryRecalled)]
        yield recalled[0].view.id if recalled else ""


def _seen_until(end_s: float) -> Iterator[e.Event]:
    for shown in VIEWS:
        if shown.at_s > end_s:
            continue
        t_ns, stream = _ns(shown.at_s), shown.stream
        yield e.SceneChanged(t_ns=t_ns, captured_ns=t_ns, share=0.5, stream=stream)
        view = e.View(shown.id, t_ns, 640, 480, stream)
        yield e.ViewTaken(
            t_ns=t_ns, view=view, moment_ns=-1, reason="change", data=shown.id.encode()
        )
        if shown.written:
            yield e.ViewRead(t_ns=t_ns, id=shown.id, text=shown.written, stream=stream)
        if shown.described:
            yield e.ViewDescribed(t_ns=t_ns, id=shown.id, text=shown.described)


def _ns(seconds: float) -> int:
    return round(seconds * NS_PER_S)


def full_memory(views: int = 500) -> VisualMemory:
    """A memory with so many views, one every two seconds, of which something is known."""
    memory = VisualMemory(64 << 20)
    for number in range(views):
        t_ns, view_id = _ns(2 * number), str(number)
        told = VIEWS[number % len(VIEWS)]
        list(memory.on(e.SceneChanged(t_ns=t_ns, captured_ns=t_ns, share=0.5)))
        view = e.View(view_id, t_ns, 640, 480)
        list(
            memory.on(
                e.ViewTaken(t_ns=t_ns, view=view, moment_ns=-1, reason="change", data=b"x" * 20_000)
            )
        )
        text = f"{told.described}\n{told.written}"
        list(memory.on(e.ViewDescribed(t_ns=t_ns, id=view_id, text=text)))
    return memory
