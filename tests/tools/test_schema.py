import datetime as dt
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial, wraps
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator
from typing_extensions import TypedDict

from opposable.errors import ToolError, TryAgain
from opposable.tools.arguments import check_spec
from opposable.tools.schema import described


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    """A spot."""

    title: str = Field(description="what it is called")
    house: int | None = None


@dataclass
class Point:
    x: float
    y: float = 0.0


class Options(TypedDict, total=False):
    deep: bool


def everything(
    text: str,
    count: int = 3,
    ratio: float = 0.5,
    loud: bool = False,
    names: list[str] | None = None,
    kind: Literal["a", "b"] = "a",
    colour: Colour = Colour.RED,
    place: Place | None = None,
    point: Point | None = None,
    options: Options | None = None,
    table: dict[str, int] | None = None,
    when: dt.date | None = None,
) -> str:
    """Do everything."""
    return repr((text, count, ratio, loud, names, kind, colour, place, point, options, table, when))


def google(x: int, y: str = "") -> None:
    """Do a thing,
    over two lines.

    And more.

    Args:
        x: The x, such as 5.
            More of it.
        y (str, optional): The y.

    Returns:
        Nothing at all.
    """


def numpy(x: int, y: str = "") -> None:
    """Do a thing,
    over two lines.

    And more.

    Parameters
    ----------
    x : int
        The x, such as 5.
        More of it.
    y : str, optional
        The y.

    Returns
    -------
    None
        Nothing at all.
    """


def sphinx(x: int, y: str = "") -> None:
    """Do a thing,
    over two lines.

    And more.

    :param x: The x, such as 5.
        More of it.
    :param y: The y.
    """


@pytest.mark.parametrize("fn", [google, numpy, sphinx])
def test_the_three_styles_of_docstrings_say_the_same(fn: Callable[..., None]) -> None:
    spec = described(fn)[0]
    assert spec.name == fn.__name__
    assert spec.description == "Do a thing, over two lines.\nAnd more."
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "x": {"type": "integer", "description": "The x, such as 5. More of it."},
            "y": {"type": "string", "default": "", "description": "The y."},
        },
        "required": ["x"],
        "additionalProperties": False,
    }
    assert (spec.approval, spec.repeatable) == ("auto", False)


def test_all_types_have_a_schema() -> None:
    spec = described(everything, name="all", approval="ask", repeatable=True)[0]
    check_spec(spec)
    assert (spec.name, spec.approval, spec.repeatable) == ("all", "ask", True)
    properties = spec.parameters["properties"]
    assert spec.parameters["required"] == ["text"]
    assert properties["count"] == {"type": "integer", "default": 3}
    assert properties["names"]["anyOf"][0] == {"type": "array", "items": {"type": "string"}}
    assert properties["kind"]["enum"] == ["a", "b"]
    assert spec.parameters["$defs"]["Colour"]["enum"] == ["red", "blue"]
    place = spec.parameters["$defs"]["Place"]
    assert place["properties"]["title"] == {"type": "string", "description": "what it is called"}
    assert "title" not in place


def test_what_is_built_is_what_the_function_takes() -> None:
    build = described(everything)[1]
    given = {
        "text": "t",
        "names": ["n"],
        "colour": "blue",
        "place": {"title": "home"},
        "point": {"x": 1},
        "options": {"deep": True},
        "table": {"a": 1},
        "when": "2026-11-05",
    }
    assert build(given) == {
        "text": "t",
        "names": ["n"],
        "colour": Colour.BLUE,
        "place": Place(title="home"),
        "point": Point(1.0),
        "options": {"deep": True},
        "table": {"a": 1},
        "when": dt.date(2026, 11, 5),
    }
    assert build({"text": "t"}) == {"text": "t"}  # defaults are the function's own


def test_what_only_pydantic_sees_is_told_to_the_model() -> None:
    build = described(everything)[1]
    with pytest.raises(TryAgain, match=r"`when`.*valid date"):
        build({"text": "t", "when": "2026-13-45"})


class Even(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def even(cls, n: int) -> int:
        if n % 2:
            raise ValueError("n must be even")
        if n > 100:
            raise LookupError("n is not on the list")
        return n


def test_validators_may_raise_anything() -> None:
    def f(even: Even) -> None:
        """Take it."""

    build = described(f)[1]
    with pytest.raises(TryAgain, match=r"`even\.n`: Value error, n must be even"):
        build({"even": {"n": 1}})
    with pytest.raises(TryAgain, match="not on the list"):
        build({"even": {"n": 102}})


def test_any_name_of_a_parameter_will_do() -> None:
    def f(model_config: int, schema: int, copy: int, _private: int, self: int, json: int) -> None:
        """Take them."""

    spec, build = described(f)
    arguments = dict.fromkeys(("model_config", "schema", "copy", "_private", "self", "json"), 1)
    assert list(spec.parameters["properties"]) == list(arguments)
    assert build(arguments) == arguments


def test_annotated_descriptions_win() -> None:
    def f(
        a: Annotated[int, "the a"], b: Annotated[int, Field(description="the b", ge=1)] = 1, c: int = Field(5, le=9)
    ) -> None:
        """Take them.

        Args:
            a: not this
            b: nor this
        """

    properties = described(f)[0].parameters["properties"]
    assert properties["a"] == {"type": "integer", "description": "the a"}
    assert properties["b"] == {"type": "integer", "description": "the b", "minimum": 1, "default": 1}


def test_methods_partials_objects_and_wrapped_functions() -> None:
    class Box:
        """A box."""

        def get(self, key: str) -> str:
            """Get it."""
            return key

        def __call__(self, key: str) -> str:
            return key

    def wrapping(fn: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(fn)
        def inner(*args: Any, **kwargs: Any) -> Any:
            return fn(*args, **kwargs)

        return inner

    assert described(Box().get)[0].name == "get"
    box = described(Box())[0]
    assert (box.name, box.description, list(box.parameters["properties"])) == ("Box", "A box.", ["key"])
    assert list(described(partial(google, 1))[0].parameters["properties"]) == ["y"]
    assert described(wrapping(google))[0] == described(google)[0]


def test_a_default_without_json_form_is_left_out() -> None:
    def f(x: Any = object()) -> None:  # noqa: B008
        """Take it."""

    assert "default" not in described(f)[0].parameters["properties"]["x"]


def test_no_parameters() -> None:
    def now() -> str:
        """Tell the time."""
        return ""

    spec, build = described(now)
    assert spec.parameters == {"type": "object", "properties": {}, "additionalProperties": False}
    assert build({}) == {}


def untyped(a, b: int, c="") -> None:  # type: ignore[no-untyped-def]
    """Take them."""


def starred(*args: int, **options: str) -> None:
    """Take them."""


def placed(a: int, /) -> None:
    """Take it."""


def silent(a: int) -> None: ...


def unknown(a: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Take it."""


class Opaque: ...


def opaque(fine: int, a: Opaque) -> None:
    """Take it."""


def callback(a: Callable[[int], int]) -> None:
    """Take it."""


@pytest.mark.parametrize(
    ("fn", "said"),
    [
        (untyped, r"a has no type: write for example a: str; c has no type"),
        (starred, r"\*args has no names.*\*\*options has no names"),
        (placed, "take the / out"),
        (silent, "add a docstring"),
        (unknown, "types of unknown cannot be read: name 'Nowhere'"),
        (opaque, "the type of a has no JSON form"),
        (callback, "the type of a has no JSON form"),
        (Opaque, "is no function"),
        (5, "is no function"),
    ],
)
def test_what_cannot_be_said_plainly_is_refused(fn: Any, said: str) -> None:
    with pytest.raises(ToolError, match=said):
        described(fn)[0]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="typing.TypedDict is enough there")
def test_the_old_typed_dict_is_named() -> None:
    import typing

    Old = typing.TypedDict("Old", {"a": int})  # noqa: UP013

    def f(x: Old) -> None:
        """Take it."""

    with pytest.raises(ToolError, match="typing_extensions"):
        described(f)[0]
