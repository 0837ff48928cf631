"""An answer laid over its base: exact new contents, or the reason why it doesn't fit."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from bot.domain.change import FileEdit
from bot.propose.answer.values import Answer
from bot.propose.edits.change import new_lines
from bot.propose.edits.gather import Target, gather
from bot.propose.edits.guards import check_stubs, check_symbols, moved_symbols
from bot.propose.edits.lines import split_lines
from bot.propose.edits.tree import Tree
from bot.propose.edits.values import Base, Limits, Misfit, Texts, Unfit

P = ParamSpec("P")
T = TypeVar("T")

_BOM = "\ufeff"


def _never(_path: str) -> bool:
    return False


def to_edits(
    answer: Answer,
    read: Callable[[str], bytes | None],
    paths: Callable[[], Collection[str]],
    limits: Limits,
    texts: Texts,
    *,
    asked: str = "",
    is_executable: Callable[[str], bool] = _never,
) -> tuple[FileEdit, ...] | Misfit:
    """Return the wanted files, or the first reason why the answer doesn't fit.

    Nothing is guessed: every line of the base that the answer does not speak of stays.

    Args:
        answer: The change as the model gave it.
        read: Returns a file of the base, None where there is none.
        paths: Returns the paths of the base; called at most once.
        limits: Where matching stops and guards begin.
        texts: How contents and text become each other.
        asked: What the person asked for; names in it may be removed.
        is_executable: Tells whether a file has its x bit, which a rename keeps.
    """
    tree = Tree(Base(read, paths, is_executable))
    try:
        made = [
            _made(target, tree, limits, texts)
            for target in gather(answer.operations, tree)
        ]
        gained = {name for one in made for name in one.gained}
        for one in made:
            _named(one.path, check_symbols, one.lost, gained, answer.removes, asked)
    except Unfit as unfit:
        return unfit.misfit
    return tuple(edit for one in made for edit in one.edits)


@dataclass(frozen=True, slots=True)
class _Made:
    """A target's edits, and the top-level names that it loses and gains."""

    path: str
    edits: tuple[FileEdit, ...]
    lost: frozenset[str] = frozenset()
    gained: frozenset[str] = frozenset()


def _named(path: str, function: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    try:
        return function(*args, **more)
    except Unfit as unfit:
        misfit = unfit.misfit
        raise Unfit(f"{path}: {misfit.reason}", misfit.quote) from unfit


def _made(target: Target, tree: Tree, limits: Limits, texts: Texts) -> _Made:
    if target.is_deleted:
        return _Made(target.path, (FileEdit(target.path, None),))
    return _named(target.path, _written, target, tree, limits, texts)


def _written(target: Target, tree: Tree, limits: Limits, texts: Texts) -> _Made:
    content = tree.content(target.source) if target.source else None
    if target.whole is None and not target.blocks:
        return _Made(target.path, _edits(target, tree, content or b""))
    old = "" if content is None else _text(content, limits, texts)
    old_lines = split_lines(old)
    lines = new_lines(target, old_lines, limits)
    check_stubs(target.path, lines, old_lines)
    text = "".join(f"{line}\n" for line in lines)
    before = (target.source, old) if target.source else None
    lost, gained = moved_symbols(before, (target.path, text))
    new = _new_bytes(text) if content is None else _conformed(content, text, texts)
    return _Made(target.path, _edits(target, tree, new), lost, gained)


def _text(content: bytes, limits: Limits, texts: Texts) -> str:
    if len(content) > limits.max_bytes:
        raise Unfit(f"the file is larger than {limits.max_bytes} bytes")
    if b"\0" in content:
        raise Unfit("the file is binary; it can be deleted or renamed, not edited")
    return texts.decode(content)


def _new_bytes(text: str) -> bytes:
    try:
        return text.removeprefix(_BOM).encode()
    except UnicodeEncodeError as error:
        odd = ascii(text[error.start])
        raise Unfit(f"the text holds {odd}, which is no character") from error


def _conformed(content: bytes, text: str, texts: Texts) -> bytes:
    try:
        return texts.conform(content, text)
    except ValueError as error:
        raise Unfit(str(error)) from error


def _edits(target: Target, tree: Tree, content: bytes) -> tuple[FileEdit, ...]:
    if target.source is None or target.source == target.path:
        return (FileEdit(target.path, content),)
    has_x_bit = True if tree.is_executable(target.source) else None
    return (
        FileEdit(target.source, None),
        FileEdit(target.path, content, executable=has_x_bit),
    )
