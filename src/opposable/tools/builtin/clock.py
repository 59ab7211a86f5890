"""The date and the time. Law: a time is never told without the zone it holds in."""

import datetime as dt
import re
import zoneinfo
from contextlib import suppress
from difflib import get_close_matches

from opposable.errors import TryAgain

# strftime would name them in the language of the process.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OFFSET = re.compile(r"(?:utc|gmt)\s*([+-])(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,2}")
_LONGEST = 64


def current_time(timezone: str = "") -> str:
    """Tell the current time, date and day of the week.

    Args:
        timezone: The zone, such as Europe/Berlin or Asia/Tokyo; without it, the local time.
    """
    return told(dt.datetime.now(dt.UTC), timezone)


def told(moment: dt.datetime, timezone: str = "") -> str:
    """An aware moment in words: ISO date, time, weekday, zone and offset. Errors: TryAgain, for an unknown zone."""
    name = timezone.strip().replace(" ", "_") if len(timezone) <= _LONGEST else timezone
    if name.lower() in ("", "local", "localtime", "here"):
        local = moment.astimezone()
        return _said(local, local.tzname() or "local time")
    if name.upper() in ("UTC", "GMT", "Z", "ETC/UTC"):
        return _said(moment.astimezone(dt.UTC), "UTC")
    if fixed := _fixed(timezone.strip()):
        return _said(moment.astimezone(fixed), "fixed offset")
    zone = _zone(name)
    return _said(moment.astimezone(zone), zone.key)


def _said(moment: dt.datetime, zone: str) -> str:
    offset = moment.strftime("%z")
    return f"{moment:%Y-%m-%d} {moment:%H:%M:%S}, {_WEEKDAYS[moment.weekday()]}, {zone} (UTC{offset[:3]}:{offset[3:5]})"


def _fixed(text: str) -> dt.timezone | None:
    match = _OFFSET.fullmatch(text)
    if not match or int(match.group(2)) > 14:
        return None
    size = dt.timedelta(hours=int(match.group(2)), minutes=int(match.group(3) or 0))
    return dt.timezone(-size if match.group(1) == "-" else size)


def _zone(name: str) -> zoneinfo.ZoneInfo:
    """The zone of that name, however its letters are, or the one zone of a city of that name.

    Zones are files, and the name comes from a model: only what cannot leave their folder is tried.
    """
    if _PLAIN.fullmatch(name):
        with suppress(zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            return zoneinfo.ZoneInfo(name)
    known = zoneinfo.available_timezones()
    if not known:  # small systems have no list of zones
        raise TryAgain(
            "Other time zones are not known on this computer (the package tzdata is missing): leave it out, or use UTC."
        )
    wanted = name.casefold()
    alike = sorted(zone for zone in known if zone.casefold() == wanted)
    cities = sorted(
        zone for zone in known if zone.casefold().endswith("/" + wanted) and not zone.startswith(("posix/", "right/"))
    )
    if alike or len(cities) == 1:
        return zoneinfo.ZoneInfo((alike or cities)[0])
    near = cities[:3] or get_close_matches(name[:_LONGEST], sorted(known), n=3)
    hint = f" Is one of these meant: {', '.join(near)}?" if near else ""
    raise TryAgain(
        f"There is no time zone {name[:_LONGEST]!r}.{hint} Right is a name such as Europe/Berlin or Asia/Tokyo."
    )
