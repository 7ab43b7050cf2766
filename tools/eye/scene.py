"""Synthetic scenes: what is in a picture, and the picture.

Takes a split name and an index, gives a `Scene` (resolution-free description) and, on demand,
its pixels at any size. Invariant: the same split and index give the same scene and the same
pixels, on any machine; splits never share a seed; the pairs of `HELD_OUT` never occur in
"train". Knows nothing of models, questions or tokens.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Pixels = NDArray[np.uint8]
Field = NDArray[np.float32]

COLOURS = {
    "red": (214, 32, 38),
    "green": (36, 158, 62),
    "blue": (34, 74, 214),
    "yellow": (244, 218, 42),
    "white": (247, 247, 247),
    "black": (18, 18, 18),
    "orange": (244, 134, 26),
    "purple": (132, 44, 166),
}
BACKGROUNDS = {
    "white": (244, 244, 244),
    "black": (16, 16, 16),
    "gray": (128, 128, 128),
    "blue": (60, 102, 204),
    "green": (60, 148, 80),
    "yellow": (238, 224, 92),
    "pink": (244, 174, 194),
    "brown": (118, 80, 52),
}
SHAPES = ("circle", "square", "triangle", "star")
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
WORDS = (
    "cat", "dog", "sun", "hat", "cup", "car", "bus", "key", "book", "fish",
    "tree", "milk", "stop", "hello", "exit", "open", "love", "home", "bird", "moon",
)  # fmt: skip
# Nine places, as (across, down) in {-1, 0, 1}.
PLACES = {
    "top left": (-1, -1),
    "top": (0, -1),
    "top right": (1, -1),
    "left": (-1, 0),
    "middle": (0, 0),
    "right": (1, 0),
    "bottom left": (-1, 1),
    "bottom": (0, 1),
    "bottom right": (1, 1),
}
PAIRS = (
    ("left", "right"),
    ("top", "bottom"),
    ("top left", "bottom right"),
    ("top right", "bottom left"),
    ("top left", "top right"),
    ("bottom left", "bottom right"),
)
TRIPLES = (
    ("left", "middle", "right"),
    ("top", "middle", "bottom"),
    ("top left", "top right", "bottom"),
    ("top", "bottom left", "bottom right"),
)
# Pairs that training never shows nor asks about: does the eye bind, or has it learnt a list?
HELD_OUT = frozenset(
    {("purple", "triangle"), ("orange", "square"), ("green", "star"), ("black", "circle")}
)
# Colour on background that a person could not name with confidence under a coloured lamp.
_CONFUSED = frozenset(
    {
        ("white", "yellow"), ("yellow", "white"), ("orange", "yellow"), ("red", "brown"),
        ("red", "pink"), ("orange", "brown"), ("purple", "brown"), ("black", "brown"),
        ("white", "pink"), ("purple", "blue"), ("green", "brown"), ("purple", "black"),
        ("blue", "black"), ("green", "gray"), ("orange", "pink"), ("purple", "gray"),
    }
)  # fmt: skip
SMALL, BIG = "small", "big"
# Visible width to height, drawn with these weights: cameras are mostly 4:3.
_ASPECTS = ((4, 3), (4, 3), (4, 3), (4, 3), (1, 1), (1, 1), (1, 1), (16, 9), (16, 9), (3, 4))


@dataclass(frozen=True, slots=True)
class Thing:
    """One coloured shape. `across`, `down` in [-1, 1]; `radius` in half short sides; turn in °."""

    colour: str
    shape: str
    place: str
    across: float
    down: float
    radius: float
    turn: float


@dataclass(frozen=True, slots=True)
class Text:
    """One large digit or short word: `name` is what it says, `shown` how it is written."""

    name: str
    shown: str
    colour: str
    is_word: bool
    across: float
    down: float
    height: float
    turn: float
    weight: float
    slant: float


@dataclass(frozen=True, slots=True)
class Light:
    """How the picture was taken; `seed` fixes everything random in the pixels."""

    seed: int
    texture: str
    texture_depth: float
    slope: float
    slope_angle: float
    blur: float
    noise: float
    brightness: float
    contrast: float
    warmth: float


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture in words: either things (one to three, in reading order) or a text."""

    background: str
    aspect: tuple[int, int]
    light: Light
    things: tuple[Thing, ...] = ()
    text: Text | None = None

    @property
    def is_novel(self) -> bool:
        """Whether it shows a pair that training held out."""
        return any((t.colour, t.shape) in HELD_OUT for t in self.things)

    @property
    def size(self) -> str | None:
        """ "big" or "small" for a thing alone, when one of the words surely fits."""
        if len(self.things) != 1:
            return None
        return SMALL if self.things[0].radius < 0.36 else BIG


def scene(split: str, index: int) -> Scene:
    """The scene number `index` of `split` ("train", "check", "test")."""
    rng = random.Random(f"visavis-eye/{split}/{index}")
    wants_novel = split != "train" and rng.random() < 0.2
    while True:
        found = _draft(rng)
        if found.is_novel if wants_novel else split != "train" or not found.is_novel:
            return found


def _draft(rng: random.Random) -> Scene:
    background, aspect, light = rng.choice(list(BACKGROUNDS)), rng.choice(_ASPECTS), _light(rng)
    if rng.random() < 0.36:
        return Scene(background, aspect, light, text=_text(rng, background))
    return Scene(background, aspect, light, things=_things(rng, background))


def _light(rng: random.Random) -> Light:
    return Light(
        seed=rng.randrange(1 << 30),
        texture=rng.choice(("plain", "plain", "clouds", "stripes")),
        texture_depth=rng.uniform(3, 13),
        slope=rng.gauss(0, 14),
        slope_angle=rng.uniform(0, math.tau),
        blur=abs(rng.gauss(0, 0.5)),
        noise=abs(rng.gauss(0, 7)),
        brightness=rng.gauss(1, 0.09),
        contrast=rng.gauss(1, 0.08),
        warmth=rng.gauss(0, 5),
    )


def _visible(background: str) -> list[str]:
    return [c for c in COLOURS if c != background and (c, background) not in _CONFUSED]


def _text(rng: random.Random, background: str) -> Text:
    is_word = rng.random() < 0.4
    if is_word:
        name = rng.choice(WORDS)
        shown = rng.choice((name, name.upper(), name.capitalize()))
    else:
        digit = rng.randrange(10)
        name, shown = NUMBERS[digit], str(digit)
    return Text(
        name=name,
        shown=shown,
        colour=rng.choice(_visible(background)),
        is_word=is_word,
        across=rng.uniform(-0.04, 0.04) if is_word else rng.uniform(-0.3, 0.3),
        down=rng.uniform(-0.35, 0.35) if is_word else rng.uniform(-0.12, 0.12),
        height=rng.uniform(0.7, 0.95) if is_word else rng.uniform(0.45, 0.85),
        turn=rng.gauss(0, 5),
        weight=rng.choice((0.0, 0.0, 0.02, 0.04)),
        slant=rng.choice((0.0, 0.0, 0.0, rng.uniform(-0.1, 0.22))),
    )


def _things(rng: random.Random, background: str) -> tuple[Thing, ...]:
    count = rng.choice((1, 1, 1, 1, 2, 2, 2, 3, 3))
    layouts = {1: [(place,) for place in PLACES], 2: PAIRS, 3: TRIPLES}[count]
    chosen = rng.choice(layouts)
    colours = _draws(rng, _visible(background), count)
    shapes = _draws(rng, list(SHAPES), count)
    return tuple(
        _thing(rng, colour, shape, place, count)
        for colour, shape, place in zip(colours, shapes, chosen, strict=True)
    )


def _draws(rng: random.Random, values: list[str], count: int) -> list[str]:
    """`count` of `values`: mostly all different, so that most questions have one answer."""
    if rng.random() < 0.75:
        return rng.sample(values, count)
    return [rng.choice(values) for _ in range(count)]


def _thing(rng: random.Random, colour: str, shape: str, place: str, count: int) -> Thing:
    small = count == 1 and rng.random() < 0.5
    low, high = {1: (0.26, 0.33) if small else (0.42, 0.6), 2: (0.3, 0.44), 3: (0.25, 0.32)}[count]
    radius = rng.uniform(low, high)
    reach = 0.66 if count == 3 or radius < 0.36 else 0.52
    x, y = PLACES[place]
    return Thing(
        colour=colour,
        shape=shape,
        place=place,
        across=x * reach + rng.gauss(0, 0.045),
        down=y * reach + rng.gauss(0, 0.045),
        radius=radius,
        turn=0.0 if shape == "circle" else rng.gauss(0, 10),
    )


def extent(thing: Thing, width: float, height: float) -> tuple[float, float, float]:
    """Centre x, centre y and radius of a thing, in pixels of a width x height picture."""
    radius = thing.radius * min(width, height) / 2
    return width / 2 * (1 + thing.across), height / 2 * (1 + thing.down), radius


def draw(scene: Scene, width: int, height: int, finer: int = 2) -> Pixels:
    """The picture, (height, width, 3) uint8 RGB; edges are drawn `finer` times finer."""
    rng = np.random.default_rng(scene.light.seed)
    ink = _ink(scene, rng, width * finer, height * finer)
    if finer > 1:
        ink = ink.reduce(finer)
    blur = scene.light.blur * height / 128
    if blur > 0.25:
        ink = ink.filter(ImageFilter.GaussianBlur(blur))
    return _lit(np.asarray(ink, np.float32), scene.light, rng)


def _ink(scene: Scene, rng: np.random.Generator, width: int, height: int) -> Image.Image:
    image = Image.new("RGB", (width, height), _near(BACKGROUNDS[scene.background], rng))
    if scene.light.texture != "plain":
        image = _textured(image, scene.light, rng)
    pen = ImageDraw.Draw(image)
    for thing in scene.things:
        x, y, radius = extent(thing, width, height)
        fill = _near(COLOURS[thing.colour], rng)
        if thing.shape == "circle":
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)
        else:
            pen.polygon(_corners(thing, x, y, radius), fill=fill)
    if scene.text is not None:
        image.paste(
            _near(COLOURS[scene.text.colour], rng), (0, 0), _lettering(scene.text, width, height)
        )
    return image


def _near(colour: tuple[int, int, int], rng: np.random.Generator) -> tuple[int, int, int]:
    red, green, blue = np.clip(np.array(colour) + rng.normal(0, 9, 3), 0, 255).astype(int).tolist()
    return red, green, blue


def _corners(thing: Thing, x: float, y: float, radius: float) -> list[tuple[float, float]]:
    start, lengths = {
        "square": (math.pi / 4, [1.15] * 4),
        "triangle": (-math.pi / 2, [1.2] * 3),
        "star": (-math.pi / 2, [1.2, 0.5] * 5),
    }[thing.shape]
    angles = [
        start + math.radians(thing.turn) + math.tau * k / len(lengths) for k in range(len(lengths))
    ]
    return [
        (x + radius * length * math.cos(a), y + radius * length * math.sin(a))
        for a, length in zip(angles, lengths, strict=True)
    ]


def _textured(image: Image.Image, light: Light, rng: np.random.Generator) -> Image.Image:
    width, height = image.size
    if light.texture == "clouds":
        coarse = rng.normal(0, light.texture_depth, (7, 9)).astype(np.float32)
        relief = np.asarray(Image.fromarray(coarse).resize(image.size, Image.Resampling.BICUBIC))
    else:
        angle, waves = rng.uniform(0, math.pi), rng.uniform(2, 6)
        x, y = np.linspace(0, 1, width), np.linspace(0, 1, height)[:, None]
        phase = waves * math.tau * (math.cos(angle) * x + math.sin(angle) * y)
        relief = (light.texture_depth * np.sin(phase)).astype(np.float32)
    bumpy = np.asarray(image, np.float32) + relief[:, :, None]
    return Image.fromarray(np.clip(bumpy, 0, 255).astype(np.uint8))


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    """The typeface that Pillow carries: the same on every machine."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont), "Pillow was built without FreeType"
    return font


def _lettering(text: Text, width: int, height: int) -> Image.Image:
    """The text as a mask (mode L): fitted, weighted, slanted, turned."""
    left, top, right, bottom = _font(100).getbbox(text.shown, stroke_width=round(100 * text.weight))
    room = height * (0.6 if text.is_word else 0.95)
    scale = text.height * min(width * 0.95 / (right - left), room / (bottom - top))
    size = max(8, round(100 * scale))
    x, y = width / 2 * (1 + text.across), height / 2 * (1 + text.down)
    mask = Image.new("L", (width, height), 0)
    ImageDraw.Draw(mask).text(
        (x, y), text.shown, fill=255, font=_font(size), anchor="mm",
        stroke_width=round(size * text.weight),
    )  # fmt: skip
    if text.slant:
        shear = (1, text.slant, -text.slant * y, 0, 1, 0)
        mask = mask.transform(mask.size, Image.Transform.AFFINE, shear, Image.Resampling.BILINEAR)
    return mask.rotate(text.turn, Image.Resampling.BILINEAR, center=(x, y))


@cache
def _grain() -> Field:
    return np.random.default_rng(0).standard_normal((1200, 1400, 3), np.float32)


def _lit(ink: Field, light: Light, rng: np.random.Generator) -> Pixels:
    height, width = ink.shape[:2]
    grain = _grain()
    y0 = int(rng.integers(0, grain.shape[0] - height))
    x0 = int(rng.integers(0, grain.shape[1] - width))
    x = np.linspace(-1, 1, width, dtype=np.float32)
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    slope = light.slope * (math.cos(light.slope_angle) * x + math.sin(light.slope_angle) * y)
    shift = np.array([light.warmth, 0, -light.warmth], np.float32) + np.float32(
        128 * (light.brightness - light.contrast) + 0.5
    )
    lit = ink * np.float32(light.contrast) + shift + slope.astype(np.float32)[:, :, None]
    lit += np.float32(light.noise) * grain[y0 : y0 + height, x0 : x0 + width]
    return np.clip(lit, 0, 255, out=lit).astype(np.uint8)


def visible_size(aspect: tuple[int, int], side: int) -> tuple[int, int]:
    """Width and height of the largest picture of this aspect inside side x side."""
    across, down = aspect
    longest = max(across, down)
    return math.ceil(side * across / longest), math.ceil(side * down / longest)


def letterbox(picture: Pixels, side: int) -> Pixels:
    """What the tower is given: fitted into side x side by bicubic, centred, black bars.

    This is llama.cpp's preparation of the picture; `parity.py` holds both together.
    """
    height, width = picture.shape[:2]
    scale = min(side / width, side / height)
    fitted = min(side, math.ceil(width * scale)), min(side, math.ceil(height * scale))
    if fitted != (width, height):
        resized = Image.fromarray(picture).resize(fitted, Image.Resampling.BICUBIC)
        picture = np.asarray(resized)
    canvas = np.zeros((side, side, 3), np.uint8)
    x, y = (side - fitted[0]) // 2, (side - fitted[1]) // 2
    canvas[y : y + fitted[1], x : x + fitted[0]] = picture
    return canvas


def view(scene: Scene, side: int) -> Pixels:
    """The scene as the tower sees it, (side, side, 3), drawn at that size at once."""
    return letterbox(draw(scene, *visible_size(scene.aspect, side)), side)
