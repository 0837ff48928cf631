"""Whether a commit message carries a cycle's trailer."""

import pytest

from bot.forge.merged import names_cycle

TRAILERS = "Bot-Gap: a\nBot-Cycle: c1\nBot-Model: m"


@pytest.mark.parametrize(
    "message",
    [
        f"Subject\n\n{TRAILERS}\n",
        f"Subject\n\nBody.\n\n{TRAILERS}",
        f"Subject\n\nBody.\n\n{TRAILERS}\n".replace("\n", "\r\n"),
        f"Subject\n\n{TRAILERS}\nSigned-off-by: A Person <a@example.org>",
        f"Subject\n\n{TRAILERS}\n(cherry picked from commit abc)",
        "Subject\n  \nBot-Cycle: c1  ",
        "Subject\n\nNote: long\n  continued\nBot-Cycle: c1",
    ],
)
def test_a_trailer_names_the_cycle(message):
    """A line of a last paragraph of trailers counts."""
    assert names_cycle(message, "c1")


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Subject",
        "Bot-Cycle: c1",
        "Subject\n\nAs it says:\nBot-Cycle: c1",
        f"Subject\n\n{TRAILERS}\n\nAnd more prose.",
        f"Subject\n\nThe line is quoted here\n{TRAILERS}",
        "Subject\n\nBot-Cycle: c12",
        "Subject\n\nBot-Cycle: c1 and more",
        "Subject\n\n> Bot-Cycle: c1",
        "Subject\n\nNote: it was\n Bot-Cycle: c1",
    ],
)
def test_anything_else_does_not(message):
    """Subjects, prose, quotes and other cycles don't count."""
    assert not names_cycle(message, "c1")
