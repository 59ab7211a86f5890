import datetime as dt
import re
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opposable.errors import TryAgain
from opposable.tools.builtin.clock import current_time, told

MOMENT = dt.datetime(2026, 11, 5, 22, 3, 9, tzinfo=dt.UTC)

needs_zones = pytest.mark.skipif(not zoneinfo.available_timezones(), reason="no time zone data here")


@needs_zones
@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Europe/Berlin", "2026-11-05 23:03:09, Thursday, Europe/Berlin (UTC+01:00)"),
        ("Asia/Tokyo", "2026-11-06 07:03:09, Friday, Asia/Tokyo (UTC+09:00)"),
        ("america/new_york", "2026-11-05 17:03:09, Thursday, America/New_York (UTC-05:00)"),
        ("America/New York", "2026-11-05 17:03:09, Thursday, America/New_York (UTC-05:00)"),
        ("tokyo", "2026-11-06 07:03:09, Friday, Asia/Tokyo (UTC+09:00)"),
        ("Asia/Kolkata", "2026-11-06 03:33:09, Friday, Asia/Kolkata (UTC+05:30)"),
    ],
)
def test_zones(zone: str, text: str) -> None:
    assert told(MOMENT, zone) == text


@pytest.mark.parametrize("zone", ["UTC", "utc", " UTC ", "GMT", "Z"])
def test_utc_needs_no_data(zone: str) -> None:
    assert told(MOMENT, zone) == "2026-11-05 22:03:09, Thursday, UTC (UTC+00:00)"


@pytest.mark.parametrize(
    ("zone", "offset"),
    [("UTC+2", "+02:00"), ("utc-3:30", "-03:30"), ("GMT +0530", "+05:30"), ("UTC+14", "+14:00")],
)
def test_fixed_offsets(zone: str, offset: str) -> None:
    assert told(MOMENT, zone).endswith(f"fixed offset (UTC{offset})")


@pytest.mark.parametrize("zone", ["", "local", " "])
def test_the_local_time_names_its_zone(zone: str) -> None:
    text = told(MOMENT, zone)
    assert re.fullmatch(r"2026-11-0[56] \d\d:\d\d:09, (Thursday|Friday), .+ \(UTC[+-]\d\d:\d\d\)", text)


@needs_zones
@pytest.mark.parametrize(
    "zone",
    [
        "Europe/Berlim",
        "Mars",
        "UTC+99",
        "../../etc/passwd",
        "/etc/localtime",
        "America",
        "a\0b",
        "\ud800",
        "x" * 10_000,
        "é",
    ],
)
def test_unknown_zones_are_refused_with_words(zone: str) -> None:
    with pytest.raises(TryAgain, match="Europe/Berlin or Asia/Tokyo") as caught:
        told(MOMENT, zone)
    assert len(str(caught.value)) < 400


@needs_zones
def test_near_zones_are_named() -> None:
    with pytest.raises(TryAgain, match=r"Is one of these meant: Europe/Berlin"):
        told(MOMENT, "Europe/Berlim")


def test_now_is_now() -> None:
    text = current_time("UTC")
    told_moment = dt.datetime.strptime(text[:19], "%Y-%m-%d %H:%M:%S").replace(tzinfo=dt.UTC)
    assert abs((dt.datetime.now(dt.UTC) - told_moment).total_seconds()) < 10


@given(st.text(max_size=80))
def test_any_text_is_told_or_refused(zone: str) -> None:
    try:
        assert "UTC" in told(MOMENT, zone)
    except TryAgain:
        return
