"""Secrets are taken out by value, in every form in which they travel."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote_from_bytes, quote_plus

MASK = "***"
_MIN_LENGTH = 6  # shorter values stand in ordinary words


class Redactor:
    """Replaces known secrets by `***`.

    Each secret is found as it is, line by line when it has several, as a JSON string,
    URL-encoded, and inside any base64 text, wherever in that text it begins.

    Args:
        secrets: The values; those under six characters are ignored.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        self._forms = tuple(sorted(forms))

    def text(self, text: str) -> str:
        """Return the text without the secrets; overlapping finds become one mask."""
        spans = sorted(span for form in self._forms for span in _spans(text, form))
        parts: list[str] = []
        end = 0
        for start, stop in spans:
            if start >= end:
                parts += (text[end:start], MASK)
            end = max(end, stop)
        return "".join((*parts, text[end:]))

    def value(self, value: object) -> object:
        """Return a JSON-like value with every string redacted, keys included.

        What is no JSON becomes its text first, so nothing slips by as an object.
        """
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, dict):
            return {self.text(str(k)): self.value(v) for k, v in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.value(item) for item in value]
        return self.text(str(value))


def _forms(secret: str) -> Iterator[str]:
    for value in {secret, secret.strip(), *secret.splitlines()}:
        if len(value) >= _MIN_LENGTH:
            yield from _encodings(value)


def _encodings(value: str) -> Iterator[str]:
    yield value
    raw = value.encode("utf-8", "surrogateescape")
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    for quoted in (quote_from_bytes(raw, ""), quote_from_bytes(raw), quote_plus(raw)):
        yield quoted
        yield _lower_escapes(quoted)
    for encode in (b64encode, urlsafe_b64encode):
        for offset in range(3):
            yield _core(encode(bytes(offset) + raw), offset, len(raw))


def _lower_escapes(quoted: str) -> str:
    """Write `%2F` as `%2f`; both are seen in the wild."""
    head, *rest = quoted.split("%")
    return "%".join((head, *(part[:2].lower() + part[2:] for part in rest)))


def _core(encoded: bytes, offset: int, length: int) -> str:
    """Cut off the characters that also depend on what stands around the secret."""
    first = -(-offset * 8 // 6)
    stop = (offset + length) * 8 // 6
    return encoded[first:stop].decode()


def _spans(text: str, form: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)
