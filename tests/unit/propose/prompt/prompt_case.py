"""A question and files in memory, as the tests of the prompt ask them."""

from collections.abc import Mapping, Sequence

from bot.domain.gap import Gap
from bot.propose.prompt import Prompt, Question

RULES = "Answer in the format."


class Files:
    """The files of a commit, ranked in the order given; remembers what was read."""

    def __init__(
        self,
        files: Mapping[str, str | bytes],
        ranked: Sequence[str] = (),
        symbols: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.files = {
            path: text.encode() if isinstance(text, str) else text
            for path, text in files.items()
        }
        self.ranked = tuple(ranked)
        self.defined = symbols or {}
        self.asked: list[str] = []
        self.query = ""

    def paths(self) -> Sequence[str]:
        return tuple(sorted(self.files))

    def size(self, path: str) -> int | None:
        content = self.files.get(path)
        return None if content is None else len(content)

    def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self.files.get(path)

    def rank(self, query: str, limit: int) -> Sequence[str]:
        self.query = query
        return self.ranked[:limit]

    def symbols(self, path: str) -> Sequence[str]:
        return self.defined.get(path, ())


def gap(text: str = "Retry the fetch", **changes: object) -> Gap:
    fields: dict[str, object] = {
        "id": "retry",
        "title": text.split("\n", maxsplit=1)[0],
        "text": text,
        "prd_line": f"- [ ] {text} [bot-eligible]",
        "line_number": 3,
        "path": "PRD.md",
        "section": "Network",
    }
    return Gap.model_validate({**fields, **changes})


def question(text: str = "Retry the fetch", **changes: object) -> Question:
    fields: dict[str, object] = {
        "gap": gap(text),
        "instructions": RULES,
        "checks": ("pytest -q",),
        "memory": "",
        "skills": (),
        "room_tokens": 20_000,
        "nonce": "cycle-1",
    }
    return Question(**{**fields, **changes})  # type: ignore[arg-type]  # as given


def user(prompt: Prompt) -> str:
    """Return the text of the last message."""
    return prompt.messages[-1].text
