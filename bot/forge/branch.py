"""The name of a gap's branch: a pure function of the gap, never of time or run."""

import re
import unicodedata

_SLUG_LENGTH = 40
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def branch_name(prefix: str, gap_id: str, title: str) -> str:
    """Return `<prefix>/<gap_id>-<slug>`; the slug is left out when the title has none."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = _NOT_SLUG.sub("-", plain.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    return f"{prefix}/{gap_id}-{slug}" if slug else f"{prefix}/{gap_id}"
