"""Step 16: the record, its index row and its event; and the sending of events."""

from bot.cycle.rooms import Rooms
from bot.domain.record import CycleRecord

_DELIVERED_A_TICK = 20  # events sent after one cycle; the rest waits for the next


def save(rooms: Rooms, record: CycleRecord) -> None:
    """Write the record, its index row and its event, in this order.

    A kill in between is mended by the next start, which finds the journal's entry.
    """
    rooms.records.write(record)
    rooms.index.add_cycle(record)
    if rooms.outbox and not rooms.is_event_skipped(record.outcome):
        from bot.observe.event import event_body  # noqa: PLC0415 - only where wanted

        rooms.outbox.put(record.cycle_id, event_body(record, rooms.redactor))


def send_events(rooms: Rooms) -> None:
    """Post waiting events; what can't be delivered waits for the next tick."""
    url = rooms.settings.observer.url
    if rooms.outbox is None or url is None or not rooms.outbox.pending():
        return
    from bot.observe.event import deliver  # noqa: PLC0415 - as above
    from bot.observe.http import post_event  # noqa: PLC0415 - as above

    told = deliver(rooms.outbox, url, post_event, _DELIVERED_A_TICK)
    if told.error:
        rooms.watcher.warn("event.undelivered", told.error)
