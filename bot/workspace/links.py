"""Where a symlink leads, told from its text alone."""

from collections.abc import Callable

from bot.workspace.paths import check_path


def unsafe_target(
    path: str, target: bytes, is_link: Callable[[str], bool]
) -> str | None:
    """Return why a symlink at `path` may not have this target, or None.

    It has to end in the tree and outside git's folder, without the help of another
    symlink, whose own target could be changed later.
    """
    try:
        text = target.decode("utf-8")
    except UnicodeDecodeError:
        return "the symlink's target is not valid UTF-8"
    if not text or text.startswith("/"):
        return f"the symlink's target {text!r} is not a relative path"
    at = path.split("/")[:-1]
    for step in text.split("/"):
        if step == ".." and not at:
            return f"the symlink's target {text!r} leaves the tree"
        if step == "..":
            at.pop()
        elif step not in {"", "."}:
            at.append(step)
            if is_link("/".join(at)):
                return f"the symlink's target {text!r} leads through another symlink"
    reason = check_path("/".join(at)) if at else None
    return reason and f"the symlink's target {text!r} is refused: {reason}"
