"""The memory of what was seen, and what is found in it again.

Takes `view.taken`, `scene.changed`, `view.read`, `view.described`, `item.kept` and `words.heard`;
gives `view.kept` and `memory.recalled`. Runs inline, before the turn is judged, so that a reply to
the words begins with what was recalled: 1.5 ms with 500 views. (An embedder of milliseconds is
bearable here; a slower one would need a lane.) Of a scene that does not change one view stays.
Invariants: the bytes kept are within the budget; an utterance brings the same view once, however
often its words come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from visavis.backends.contract import Embedder
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.events import (
    Event,
    ItemKept,
    MemoryRecalled,
    SceneChanged,
    View,
    ViewDescribed,
    ViewKept,
    ViewRead,
    ViewTaken,
    WordsHeard,
)
from visavis.memory import recall
from visavis.memory.index import Index, Kept

FLASH_NS = NS_PER_S // 2
"""A view that gave way so soon was taken in the middle of a change, and is not kept."""

SAME_SCENE_NS = 15 * NS_PER_S
"""As long as no change is seen, another picture within this time shows the same scene; later it may
have become another one little by little."""


class VisualMemory:
    """At most `most_bytes` of views. `embedder`: gives meanings, if there is one."""

    name = "memory.visual"

    def __init__(self, most_bytes: int, embedder: Embedder | None = None) -> None:
        self._index = Index(most_bytes)
        self._embedder = embedder
        self._scenes: dict[str, list[str]] = {}  # by stream: the views of it, newest last
        self._newest_ns: dict[str, int] = {}  # by stream
        self._talked_of: tuple[str, ...] = ()  # what was seen when the user last spoke
        self._given = (0, "")  # the utterance, and the view that it brought
        self._began_ns = -1

    def on(self, event: Event) -> Iterable[Event]:
        match event:
            case ViewTaken():
                return self._take(event)
            case SceneChanged():
                self._leave(event.stream, event.captured_ns)
            case ViewRead():
                self._tell(event.id, written=event.text)
            case ViewDescribed():
                self._tell(event.id, described=event.text)
            case ItemKept():
                self._hear(event)
            case WordsHeard() if event.final or _is_settled(event):
                return self._recall(event)
        return ()

    # ── seeing ───────────────────────────────────────────────────────────────────────────────

    def _take(self, event: ViewTaken) -> Iterator[Event]:
        view, at_ns = event.view, event.view.captured_ns
        if self._began_ns < 0:
            self._began_ns = at_ns
        self._stay(at_ns)
        entry = self._index.get(view.id)
        if at_ns >= self._newest_ns.get(view.stream, 0):  # else it is a look back
            scene = self._scenes.get(view.stream, [])
            if view.id not in scene and self._since_ns(view) > SAME_SCENE_NS:
                self._leave(view.stream, at_ns)
            self._newest_ns[view.stream] = at_ns
            scene = self._scenes.setdefault(view.stream, [])
            scene[:] = [*(each for each in scene if each != view.id), view.id]
        if entry is not None:
            entry.see(at_ns)
        elif event.data and self._index.add(Kept(view, event.data, [(at_ns, at_ns)])):
            yield ViewKept(
                t_ns=event.t_ns,
                trace=event.trace,
                view=view,
                bytes_kept=self._index.bytes_kept,
            )

    def _since_ns(self, view: View) -> int:
        return view.captured_ns - self._newest_ns.get(view.stream, view.captured_ns)

    def _stay(self, until_ns: int) -> None:
        """What is seen has been seen until this moment."""
        for scene in self._scenes.values():
            if (entry := self._index.get(scene[-1])) is not None:
                entry.stay(until_ns)

    def _leave(self, stream: str, at_ns: int) -> None:
        """The scene is seen no longer, and was until now. Of views that tell the same one stays."""
        scene = [entry for each in self._scenes.pop(stream, []) if (entry := self._index.get(each))]
        if not scene:
            return
        scene[-1].stay(at_ns)
        told: list[Kept] = []
        for entry in scene:
            twin = next((each for each in told if each.tells_as(entry)), None)
            if twin is None:
                told.append(entry)
            else:
                twin.take_in(entry)
                self._index.drop(entry.view.id)
        for entry in told:
            if entry.seen_ns < FLASH_NS:
                self._index.drop(entry.view.id)

    def _shown(self) -> set[str]:
        """The views of what is seen now."""
        shown = set[str]()
        for scene in self._scenes.values():
            newest = self._index.get(scene[-1])
            entries = (self._index.get(each) for each in scene)
            shown |= {each.view.id for each in entries if each and newest and each.tells_as(newest)}
        return shown

    # ── words that go with it ────────────────────────────────────────────────────────────────

    def _tell(
        self, view_id: str, *, written: str | None = None, described: str | None = None
    ) -> None:
        entry = self._index.get(view_id)
        if entry is None or not (written or described):
            return
        entry.tell(written=written, described=described)
        self._understand(entry)

    def _hear(self, item: ItemKept) -> None:
        """What is said of what is seen; a question about the past is not."""
        if item.role == "user":
            is_past = recall.question(item.text) is not None
            self._talked_of = () if is_past else self._seen_at(item.start_ns)
        elif item.role != "assistant":
            return
        for view_id in self._talked_of:
            if (entry := self._index.get(view_id)) is not None:
                entry.hear(item.text)
                self._understand(entry)

    def _seen_at(self, moment_ns: int) -> tuple[str, ...]:
        """The views that were seen at a moment, one a stream."""
        now = {stream: scene[-1] for stream, scene in self._scenes.items()}
        then = {
            entry.view.stream: entry.view.id
            for entry in self._index
            if any(start <= moment_ns <= end for start, end in entry.spans)
        }
        return tuple((now | then).values())

    def _understand(self, entry: Kept) -> None:
        if self._embedder is not None:
            words = "\n".join(filter(None, (entry.text, entry.said)))
            entry.meaning = self._embedder.embed([words])[0]
        self._index.thin()

    # ── recall ───────────────────────────────────────────────────────────────────────────────

    def _recall(self, event: WordsHeard) -> Iterator[Event]:
        asked = recall.question(event.text)
        if asked is None or not len(self._index):
            return
        self._stay(event.t_ns)
        found = recall.find(
            asked,
            self._index,
            event.t_ns,
            shown=self._shown(),
            began_ns=self._began_ns,
            meaning=self._meaning(asked),
        )
        if found is None or self._given == (event.trace, found.view.id):
            return
        self._given = event.trace, found.view.id
        yield MemoryRecalled(
            t_ns=event.t_ns,
            trace=event.trace,
            view=found.as_seen(),
            ago_ms=(event.t_ns - found.last_ns) / NS_PER_MS,
            data=found.data,
        )

    def _meaning(self, asked: recall.Question) -> NDArray[np.float32] | None:
        if self._embedder is None or not asked.about:
            return None
        (vector,) = self._embedder.embed([asked.rest], query=True)
        return np.asarray(vector)


def _is_settled(words: WordsHeard) -> bool:
    """Whether all that was heard so far will stay, but for the mark at its end."""
    return 0 < len(words.text.rstrip(" .?!,。？！，…")) <= words.stable
