"""What a model's answer is read as: a change, a refusal, a question, or no answer."""

from dataclasses import dataclass
from typing import Literal

DeclineKind = Literal["unclear", "too_big", "already_done"]


@dataclass(frozen=True, slots=True)
class WholeFile:
    """The whole text of a file; lines end at LF.

    Attributes:
        path: As the model wrote it; untrusted.
        text: The text as it stood between the markers.
        is_new: Whether the model declared that there is no such file yet.
    """

    path: str
    text: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Replace:
    """Pieces of a file and what stands in their place, all in terms of the old file.

    Attributes:
        path: As the model wrote it; untrusted.
        blocks: Pairs of searched and replacing text; lines end at LF.
    """

    path: str
    blocks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """A file that goes."""

    path: str


@dataclass(frozen=True, slots=True)
class Rename:
    """A file that moves; other operations may change its text as well."""

    old: str
    new: str


Operation = WholeFile | Replace | Delete | Rename


@dataclass(frozen=True, slots=True)
class Answer:
    """A change.

    Attributes:
        summary: One line.
        rationale: Why it is done this way.
        tests_added: What the model says that it tests, one entry each.
        skills_used: Names of skills that it says it used.
        operations: In the order of the answer; never empty.
        removes: Names that it says it takes away on purpose.
    """

    summary: str
    rationale: str
    tests_added: tuple[str, ...]
    skills_used: tuple[str, ...]
    operations: tuple[Operation, ...]
    removes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decline:
    """The model says that the gap should not be closed as it stands.

    Attributes:
        kind: Why.
        reason: The same in words.
        questions: With `unclear`: one to three.
        split: With `too_big`: the smaller gaps that it proposes.
        evidence: With `already_done`: where that can be seen.
    """

    kind: DeclineKind
    reason: str
    questions: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WantsFiles:
    """The model asks for more files before it answers; paths are untrusted."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Malformed:
    """Text that is no answer in the format.

    Attributes:
        reason: What is wrong and where, in words for the model.
        quote: The line in question, bounded; empty where there is none.
    """

    reason: str
    quote: str = ""
