"""Cycles in who depends on whom, in linear time and without recursion."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_SHOWN = 8

Edges = Mapping[str, Sequence[str]]


def loops(edges: Edges) -> dict[str, str]:
    """Return, for each node that depends on itself in the end, a cycle in words.

    Nodes without edges need no entry. Nodes of one tangle share one cycle as example.
    """
    named: dict[str, str] = {}
    for component in _Tarjan(edges).components():
        members = frozenset(component)
        if len(members) > 1 or component[0] in edges.get(component[0], ()):
            named.update(dict.fromkeys(members, _name(component[-1], members, edges)))
    return named


def _name(start: str, members: frozenset[str], edges: Edges) -> str:
    path = [start]
    position = {start: 0}
    while True:
        following = next(name for name in edges[path[-1]] if name in members)
        path.append(following)
        if following in position:
            break
        position[following] = len(path) - 1
    cycle = path[position[following] :]
    if len(cycle) > _SHOWN:
        cycle = [*cycle[: _SHOWN - 2], "…", cycle[-1]]
    return " → ".join(cycle)


@dataclass(slots=True)
class _Tarjan:
    """Strongly connected components, with the call stack as a list."""

    edges: Edges
    _order: dict[str, int] = field(default_factory=dict)
    _low: dict[str, int] = field(default_factory=dict)
    _pending: list[str] = field(default_factory=list)
    _is_pending: set[str] = field(default_factory=set)
    _calls: list[tuple[str, Iterator[str]]] = field(default_factory=list)

    def components(self) -> Iterator[list[str]]:
        for root in self.edges:
            if root in self._order:
                continue
            self._enter(root)
            while self._calls:
                yield from self._advance()

    def _enter(self, node: str) -> None:
        self._order[node] = self._low[node] = len(self._order)
        self._pending.append(node)
        self._is_pending.add(node)
        self._calls.append((node, iter(self.edges.get(node, ()))))

    def _advance(self) -> Iterator[list[str]]:
        node, following = self._calls[-1]
        for name in following:
            if name not in self._order:
                self._enter(name)
                return
            if name in self._is_pending:
                self._low[node] = min(self._low[node], self._order[name])
        self._calls.pop()
        if self._calls:
            caller = self._calls[-1][0]
            self._low[caller] = min(self._low[caller], self._low[node])
        if self._low[node] == self._order[node]:
            yield self._cut(node)

    def _cut(self, node: str) -> list[str]:
        component: list[str] = []
        while not component or component[-1] != node:
            component.append(self._pending.pop())
        self._is_pending.difference_update(component)
        return component
