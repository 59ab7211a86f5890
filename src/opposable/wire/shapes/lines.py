"""Shapes of prompted models that are neither JSON, tags nor Python. Law: a row says where the calls stand."""

from opposable.wire.bodies.arrow import Arrows
from opposable.wire.bodies.lines import ActionInput, FenceLabel, Lines, NameLine
from opposable.wire.shapes.shape import Shape
from opposable.wire.steps import Close, Mark, Space

LINES: tuple[Shape, ...] = (
    Shape(
        "tool-lines",
        "any model, prompted by Continue",
        (Mark(("```",)), FenceLabel(("tool",)), Space("\n"), Lines()),
        place="line",
    ),
    Shape(
        "react",
        "any model, prompted to reason and act",
        (Mark(("Action:",)), NameLine(), ActionInput()),
        place="line",
    ),
    Shape(
        "arrow",
        "prompted models, MiniMax",
        (Mark(("[TOOL_CALL]",)), Space("\n"), Arrows(), Space("\n"), Close(("[/TOOL_CALL]",))),
    ),
)
