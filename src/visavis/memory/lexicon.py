"""The words that matter when a question is compared with a text, and those that do not."""

from __future__ import annotations

import re


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SIMPLIFIED = str.maketrans(
    "剛個點鐘時間裡這邊麼誰幾為過後來說沒對會還顯圖頁張眼鏡頭畫開條見寫電話紅藍綠黃兩"
    "書門車鳥貓馬魚鑰匙機腦帽價單議議題樓層號碼燈視頻聽讀紙筆盤碗",
    "刚个点钟时间里这边么谁几为过后来说没对会还显图页张眼镜头画开条见写电话红蓝绿黄两"
    "书门车鸟猫马鱼钥匙机脑帽价单议议题楼层号码灯视频听读纸笔盘碗",
)
"""Traditional characters as simplified ones."""

_PAIRS = _words(
    "红:red 红色:red 蓝:blue 蓝色:blue 绿:green 绿色:green 黄:yellow 黄色:yellow 黑:black"
    " 黑色:black 白:white 白色:white 灰色:grey 紫色:purple 橙色:orange 粉色:pink 棕色:brown"
    " 盒子:box 箱子:box 杯子:cup 瓶子:bottle 桌子:table 桌上:table 桌面:table 椅子:chair"
    " 书:book 书本:book 笔:pen 钥匙:key 手机:phone 电脑:computer 眼镜:glass 帽子:hat 包:bag"
    " 袋子:bag 球:ball 苹果:apple 香蕉:banana 橙子:orange 花:flower 猫:cat 狗:dog 鸟:bird"
    " 车:car 门:door 窗户:window 灯:lamp 圆:circle 圆形:circle 方块:square 正方形:square"
    " 三角形:triangle 星星:star 圆圈:circle 票:ticket 菜单:menu 地图:map 会议:meeting 出口:exit"
    " 入口:entrance 电话:phone 价格:price 房间:room 时间表:timetable 人:person 男人:man"
    " 动物:animal 水果:fruit 女人:woman 孩子:child 牌子:sign"
)
GLOSSES = dict(pair.split(":") for pair in _PAIRS)
"""Chinese words and the English term that means the same. One character counts only by itself or
beside another of these words: 红 in 红盒子 is red, in 红烧 it is not."""

SENSES = {
    "animal": ("cat", "dog", "bird", "horse", "fish", "rabbit"),
    "fruit": ("apple", "banana", "orange", "pear", "lemon"),
    "person": ("man", "woman", "boy", "girl", "child"),
    "somebody": ("man", "woman", "boy", "girl", "child", "person"),
    "people": ("man", "woman", "boy", "girl", "child", "person"),
    "drink": ("water", "coffee", "tea", "juice", "milk"),
}
"""What a kind of thing may be, where it is not called by its kind."""

SPELLINGS = {"gray": "grey", "color": "colour", "cellphone": "phone", "mobile": "phone"}

ASKING = frozenset(
    _words(
        "a an the this that these those it its what which who whom whose where when why how"
        " is are was were be been being am do did does done have has had can could would"
        " will shall should may i you we he she they me my mine your yours us our him his"
        " her them their there here and or but so of to in on at by for from with about into"
        " up off out if then than as not no yes please tell describe remember recall know"
        " think say show shown shows showed showing see saw seen seeing look looked looking"
        " like looks watch watched notice noticed hold holding held put ago before earlier"
        " previously previous just now last first again back moment while bit second sec"
        " minute min hour hr half quarter couple few several some any many much more around"
        " thing one picture image photo camera view frame scene visible read written said"
        " was happened happen very still also been today time long short little recently"
        " beginning start initially originally find left lie lay stand stood sit sat appear"
        " appeared hey okay ok um uh well screen slide page stream question answer anything"
        " something everything else another other"
    )
)
"""English words that only ask, or say when."""

ASKING_WIDE = re.compile(
    "刚才|刚刚|方才|之前|以前|先前|早些时候|最开始|一开始|开头|最初|起初|最先|最早|不久前|一会儿?前"
    "|[一二两三四五六七八九十百几半零〇\\d]+个?(?:半?秒钟?|半?分钟?|半?小时|半?钟头|刻钟)半?钟?[之以]?前"
    "|大概|大约|左右|什么时候|什么样|为什么|什么|怎么|哪里|哪儿|哪个|哪些|哪|谁|几[个张只本]?|多少"
    "|[上前第][一二三]?[张页个幅次眼样]|看到|看见|看过|见过|见到|看|出现|屏幕|幻灯片|画面|镜头|图片|照片"
    "|显示|展示|告诉|记得|请问|请|说说|写|拿|手里|手上|放在?|摆在?|[那这][个些里张边儿只本]?|颜色|东西"
    "|内容|有没有|没有|是不是|还有|有|还|是|在|的|了|过|着|吗|呢|吧|啊|呀|我们|你们|[我你您他她它]|一下"
    "|一[个张只本]|[上里下前后]面|旁边|戴着?|穿着?|(?<!桌)上|里|都|和|跟|给|也|叫"
)
"""The same in Chinese, as what separates the words that count."""
