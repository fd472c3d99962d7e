"""Message records with every oddity that chats in the wild have."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.unit.strategies import OBJECTS, VALUES

TEXTS = st.sampled_from(["a", "b", "c", "", "{{user}}", "\ud83d"])
SLOTS = TEXTS | st.none() | st.fixed_dictionaries({"message": TEXTS}) | st.integers(0, 3)
EXTRAS = st.fixed_dictionaries(
    {},
    optional={
        "reasoning": TEXTS,
        "type": st.sampled_from(["narrator", "comment", "help", 5]),
        "isSmallSys": st.booleans(),
        "swipeable": st.booleans(),
        "display_text": TEXTS,
        "gen_id": st.just(2**60 + 1),
        "unknown": VALUES,
    },
)
INFO = st.none() | st.fixed_dictionaries(
    {}, optional={"extra": EXTRAS | st.none(), "send_date": TEXTS | st.none(), "gen_started": TEXTS, "own": VALUES}
)


def odd_records() -> st.SearchStrategy[dict[str, Any]]:
    """Records whose fields are missing, of another type, out of range, too short or unknown."""
    return st.fixed_dictionaries(
        {},
        optional={
            "name": TEXTS | st.none(),
            "is_user": st.sampled_from([False, False, True, "", None]),
            "is_system": st.sampled_from([False, True, "", None, "yes"]),
            "send_date": st.sampled_from(["2026-01-05T08:07:03.042Z", 1719321243022, None, "", "yesterday"]),
            "mes": TEXTS | st.none() | st.integers(),
            "extra": EXTRAS | st.none() | st.just([]) | st.just([1]),
            "swipes": st.lists(SLOTS, max_size=4) | st.none() | st.just("x"),
            "swipe_id": st.integers(-2, 5) | st.sampled_from(["0", "1", "x", None, True, 1.0, 0.5]),
            "swipe_info": st.lists(INFO, max_size=5) | st.none() | st.just({}),
            "gen_started": TEXTS | st.none(),
            "variables": st.lists(OBJECTS, max_size=4) | st.none(),
            "role": st.sampled_from(["tool", "x"]),
            "zz": VALUES,
        },
    )
