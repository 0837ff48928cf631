"""The operations of an answer joined to one target a file, or refused."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.propose.answer.values import Delete, Operation, Rename, WholeFile
from bot.propose.edits.tree import Tree
from bot.propose.edits.values import Unfit


@dataclass(slots=True)
class Target:
    """What is to become of one file.

    Attributes:
        path: Where it will stand.
        source: Where it stands in the base; None for a new file.
        whole: Its whole new text, if that is how it changes.
        blocks: Pieces of it that change, if that is how.
        is_deleted: Whether it goes.
    """

    path: str
    source: str | None
    whole: str | None = None
    blocks: list[tuple[str, str]] = field(default_factory=list)
    is_deleted: bool = False


def gather(operations: Iterable[Operation], tree: Tree) -> list[Target]:
    """Return the targets, renamed files first, then in the order of the answer.

    Raises:
        Unfit: A path is not there or there already, or two operations contradict.
    """
    gathered = _Gathered(tree)
    ordered = sorted(operations, key=lambda item: not isinstance(item, Rename))
    for operation in ordered:
        gathered.take(operation)
    return gathered.targets


class _Gathered:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._by_path: dict[str, Target] = {}
        self.targets: list[Target] = []

    def take(self, operation: Operation) -> None:
        match operation:
            case Rename(old, new):
                self._rename(old, new)
            case Delete(path):
                self._delete(path)
            case WholeFile(path, text, is_new):
                self._whole(path, text, is_new=is_new)
            case _:
                self._replace(operation.path, operation.blocks)

    def _rename(self, old: str, new: str) -> None:
        source, path = self._tree.existing(old, "rename"), self._tree.new(new, "rename")
        if source in self._by_path or path in self._by_path:
            raise Unfit(f"`rename {old} -> {new}` meets another rename of these paths")
        target = Target(path, source)
        self._by_path[source] = self._by_path[path] = target
        self.targets.append(target)

    def _delete(self, path: str) -> None:
        target = self._by_path.get(path) or self._at(
            self._tree.existing(path, "delete")
        )
        if target.path != target.source and path == target.source:
            return  # a rename has said already that it goes from here
        if target.path != target.source or target.whole is not None or target.blocks:
            raise _contradiction(path)
        target.is_deleted = True

    def _whole(self, path: str, text: str, *, is_new: bool) -> None:
        target = self._by_path.get(path)
        if target is None and is_new:
            place = self._tree.new(path, "new")
            target = self._by_path.get(place) or self._add(Target(place, None))
        elif target is None:
            target = self._at(self._tree.existing(path, "whole"))
        elif is_new and target.source is not None and path != target.path:
            raise _contradiction(path)
        is_other = target.whole is not None and target.whole != text
        if is_other or target.blocks or target.is_deleted:
            raise _contradiction(path)
        target.whole = text

    def _replace(self, path: str, blocks: Iterable[tuple[str, str]]) -> None:
        target = self._by_path.get(path) or self._at(self._tree.existing(path, "edit"))
        if target.whole is not None or target.is_deleted:
            raise _contradiction(path)
        target.blocks.extend(block for block in blocks if block not in target.blocks)

    def _at(self, path: str) -> Target:
        return self._by_path.get(path) or self._add(Target(path, path))

    def _add(self, target: Target) -> Target:
        self._by_path[target.path] = target
        self.targets.append(target)
        return target


def _contradiction(path: str) -> Unfit:
    return Unfit(
        f"{path}: the answer says several things that contradict each other; give one "
        "`new`, `whole` or `delete`, or only `edit` blocks"
    )
