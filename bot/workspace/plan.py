"""A proposal planned to exact bytes and checked whole, before anything is written."""

from collections.abc import Iterable, Mapping, Sequence

from bot.domain.change import Action, Change, FileEdit, Refused
from bot.workspace.linediff import MAX_EDITS, Size, measure
from bot.workspace.links import unsafe_target
from bot.workspace.names import misfit, parents
from bot.workspace.paths import check_path, first_protected, shown
from bot.workspace.rules import (
    EXECUTABLE,
    SUBMODULE,
    SYMLINK,
    BaseEntry,
    BaseReader,
    Planned,
    Rules,
)

__all__ = ["BaseEntry", "BaseReader", "Planned", "Rules", "plan_edits"]

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


def plan_edits(
    edits: Sequence[FileEdit], base: BaseReader, rules: Rules
) -> Planned | Refused:
    """Plan the edits on the base, or say which path breaks which rule.

    Nothing is written. `base.paths()` is asked for at most once, and only when a file
    is added.
    """
    reason = _about_paths(edits)
    if reason is not None:
        return Refused(reason)
    draft = _Draft(base, rules, {edit.path: edit for edit in edits})
    for edit in edits:
        reason = draft.take(edit)
        if reason is not None:
            return Refused(reason)
    reason = draft.about_tree()
    return draft.planned() if reason is None else Refused(reason)


def _about_paths(edits: Iterable[FileEdit]) -> str | None:
    seen: set[str] = set()
    for edit in edits:
        reason = check_path(edit.path)
        if reason is not None:
            return f"{shown(edit.path)}: {reason}"
        if edit.path in seen:
            return f"{shown(edit.path)}: the path stands in the proposal twice"
        seen.add(edit.path)
    return None


class _Draft:
    """The plan as far as it has come; each check answers with a reason or None."""

    def __init__(
        self, base: BaseReader, rules: Rules, edits: Mapping[str, FileEdit]
    ) -> None:
        self._base = base
        self._rules = rules
        self._edits = edits
        self._changes: list[Change] = []
        self._protected: list[str] = []
        self._files = self._lines = self._patch_bytes = 0

    def take(self, edit: FileEdit) -> str | None:
        old = self._base.entry(edit.path)
        reason = self._about_place(edit, old)
        if reason is None and not _is_noop(edit, old):
            reason = self._about_kind(edit, old) or self._about_protection(edit.path)
        if reason is None:
            self._add(edit, old)
            reason = self._about_size()
        return reason and f"{shown(edit.path)}: {reason}"

    def about_tree(self) -> str | None:
        added = {c.path for c in self._changes if c.action is Action.ADD}
        if not added:
            return None
        deleted = {c.path for c in self._changes if c.action is Action.DELETE}
        return misfit(added, self._base.paths() - deleted)

    def planned(self) -> Planned:
        links = (e.path for e in self._edits.values() if _is_link(e))
        return Planned(
            base_sha=self._base.sha,
            changes=tuple(self._changes),
            patch_bytes=self._patch_bytes,
            protected=tuple(self._protected),
            symlinks=frozenset(links),
        )

    def _about_place(self, edit: FileEdit, old: BaseEntry | None) -> str | None:
        if edit.kind == "submodule" or (old is not None and old.mode == SUBMODULE):
            return "submodules are never changed"
        if old is not None:
            return None
        if edit.content is None:
            return "there is no such file to delete"
        for parent in parents(edit.path):
            above = None if self._goes(parent) else self._base.entry(parent)
            if above is not None:
                return f"it lies below {shown(parent)}, which is {_noun(above.mode)}"
        return None

    def _about_kind(self, edit: FileEdit, old: BaseEntry | None) -> str | None:
        if edit.content is None:
            return None
        if _is_link(edit) or (old is not None and old.mode == SYMLINK):
            return self._about_link(edit)
        before = None if old is None else old.content
        if before is not None and before.startswith(_LFS_POINTER):
            return "it is kept in Git LFS, which the bot does not write"
        is_binary = _is_binary(before) or _is_binary(edit.content)
        if is_binary and not self._rules.allow_binary:
            return "it is binary (holds a NUL byte) and allow_binary is off"
        return None

    def _about_link(self, edit: FileEdit) -> str | None:
        if not self._rules.allow_symlinks:
            return "symlinks are not added or changed while allow_symlinks is off"
        if edit.kind != "symlink" or edit.content is None:
            return None
        return unsafe_target(edit.path, edit.content, self._will_be_link)

    def _about_protection(self, path: str) -> str | None:
        glob = first_protected(self._rules.prd, path)
        if glob is not None:
            return f"requirements files are not for proposals to change (prd {glob!r})"
        glob = first_protected(self._rules.protected, path)
        if glob is None:
            return None
        if self._rules.on_protected == "block":
            return f"it is protected by the glob {glob!r} (policy.protected)"
        self._protected.append(path)
        return None

    def _add(self, edit: FileEdit, old: BaseEntry | None) -> None:
        before = None if old is None else old.content
        action = _action(edit, old)
        size, is_binary = Size(0, 0, 0), _is_binary(before) or _is_binary(edit.content)
        if action is not Action.NOOP:
            limit = min(MAX_EDITS, self._rules.max_lines)
            # So much at least; what is over the limit by length alone is not read.
            least = abs(len(edit.content or b"") - len(before or b""))
            size = Size(0, 0, least)
            if least <= self._rules.max_bytes:
                size = measure(edit.path, before, edit.content, max_edits=limit)
            self._files += 1
        change = Change(
            path=edit.path,
            action=action,
            content=edit.content,
            executable=_will_be_executable(edit, old),
            lines_added=0 if is_binary else size.added,
            lines_removed=0 if is_binary else size.removed,
            binary=is_binary,
        )
        self._changes.append(change)
        self._lines += change.lines_added + change.lines_removed
        self._patch_bytes += size.patch_bytes

    def _about_size(self) -> str | None:
        rules = self._rules
        for limit, most, count, unit in (
            ("max_files", rules.max_files, self._files, "files"),
            ("max_lines", rules.max_lines, self._lines, "lines"),
            ("max_bytes", rules.max_bytes, self._patch_bytes, "bytes of patch"),
        ):
            if count > most:
                return f"with it the proposal changes {count} {unit}; {limit} is {most}"
        return None

    def _goes(self, path: str) -> bool:
        edit = self._edits.get(path)
        return edit is not None and edit.content is None

    def _will_be_link(self, path: str) -> bool:
        edit = self._edits.get(path)
        if edit is not None:
            return _is_link(edit)
        old = self._base.entry(path)
        return old is not None and old.mode == SYMLINK


def _is_binary(content: bytes | None) -> bool:
    return content is not None and b"\0" in content


def _is_link(edit: FileEdit) -> bool:
    return edit.kind == "symlink" and edit.content is not None


def _is_noop(edit: FileEdit, old: BaseEntry | None) -> bool:
    if old is None or edit.content != old.content:
        return False
    if _is_link(edit) or old.mode == SYMLINK:
        return _is_link(edit) and old.mode == SYMLINK
    return edit.executable in {None, old.mode == EXECUTABLE}


def _action(edit: FileEdit, old: BaseEntry | None) -> Action:
    if edit.content is None:
        return Action.DELETE
    if old is None:
        return Action.ADD
    return Action.NOOP if _is_noop(edit, old) else Action.UPDATE


def _will_be_executable(edit: FileEdit, old: BaseEntry | None) -> bool:
    if edit.content is None or _is_link(edit):
        return False
    if edit.executable is not None:
        return edit.executable
    return old is not None and old.mode == EXECUTABLE


def _noun(mode: str) -> str:
    return {SYMLINK: "a symlink", SUBMODULE: "a submodule"}.get(mode, "a file")
