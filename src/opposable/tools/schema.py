"""From a typed function to what a model sees of it. Law: what cannot be said plainly to a model is refused at once.

`inspect` gives the parameters, griffe the docstring (Google, NumPy or Sphinx style), pydantic the JSON Schema. Both
packages take long to import (0.1-0.2 s), so they are imported when the first function is read.
"""

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from opposable.errors import ToolError, TryAgain
from opposable.messages import Approval, JsonSchema, ToolSpec

Build: TypeAlias = Callable[[Mapping[str, Any]], dict[str, Any]]
"""From settled arguments to the values a function takes: models, dataclasses and dates built. Errors: TryAgain."""

_UNFIT_KINDS: dict[object, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}
_ORDER = ("type", "properties", "required", "additionalProperties", "$defs")
_OF_SCHEMAS = ("properties", "$defs", "patternProperties", "dependentSchemas")
_OF_VALUES = ("default", "const", "enum", "examples")


def described(
    fn: Callable[..., Any], *, name: str | None = None, approval: Approval = "auto", repeatable: bool = False
) -> tuple[ToolSpec, Build]:
    """What a model sees of `fn` (name, description, JSON Schema of its parameters), and what builds what `fn` takes.

    The builder passes on only what was given: defaults are left to the function itself.
    Errors: ToolError, saying what to add to the function.
    """
    target = _target(fn)
    shown: str = name or _name(fn, target)
    parameters = _parameters(fn, target, shown)
    description, said = _docstring(target, fn)
    if not description:
        raise ToolError(f"{shown} has no description: add a docstring whose first line says what the tool does")
    model = _model(parameters, shown)
    schema = _schema(model, shown)
    for parameter, text in said.items():
        if parameter in schema["properties"]:
            # What stands in the annotation, in Field(description=…), is nearer to the parameter and stays.
            schema["properties"][parameter].setdefault("description", text)
    return ToolSpec(shown, description, schema, approval, repeatable), _builder(model)


def _target(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The plain function behind a partial or an object that can be called."""
    if inspect.isclass(fn) or not callable(fn):
        raise ToolError(f"{fn!r} is no function: give a function with types and a docstring")
    while isinstance(fn, partial):
        fn = fn.func
    return fn if inspect.isroutine(fn) else type(fn).__call__.__get__(fn)


def _name(fn: Callable[..., Any], target: Callable[..., Any]) -> str:
    own = target.__name__ if inspect.isroutine(target) else ""
    return type(fn).__name__ if own in ("", "__call__") else own


def _parameters(fn: Callable[..., Any], target: Callable[..., Any], name: str) -> dict[str, tuple[Any, Any]]:
    """Annotation and default of each parameter."""
    try:
        signature = inspect.signature(fn)
        hints = typing.get_type_hints(target, include_extras=True)
    except (NameError, TypeError, ValueError, AttributeError) as error:
        raise ToolError(f"the types of {name} cannot be read: {error}") from error
    problems = []
    for parameter in signature.parameters.values():
        if stars := _UNFIT_KINDS.get(parameter.kind):
            problems.append(f"{stars}{parameter.name} has no names a model could use: replace it by plain parameters")
        elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            problems.append(f"{parameter.name} can be given by place only: take the / out")
        elif parameter.name not in hints:
            problems.append(f"{parameter.name} has no type: write for example {parameter.name}: str")
    if problems:
        raise ToolError(f"{name} cannot be offered: " + "; ".join(problems))
    return {p.name: (hints[p.name], p.default) for p in signature.parameters.values()}


def _docstring(target: Callable[..., Any], fn: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    # Not inspect.getdoc: it inherits "Call self as a function." from object.
    own = target.__doc__ or ("" if inspect.isroutine(fn) or isinstance(fn, partial) else type(fn).__doc__)
    text = inspect.cleandoc(own or "")
    if "\n" not in text:
        return text.strip(), {}
    import griffe

    quiet: Any = {style: {"warnings": False} for style in ("google", "numpy", "sphinx")}
    # The last newline: the sphinx style is only recognised by whole lines.
    sections = griffe.parse(griffe.Docstring(text + "\n"), "auto", per_style_options=quiet)
    description: list[str] = []
    said: dict[str, str] = {}
    for section in sections:
        if section.kind is griffe.DocstringSectionKind.text and not said:
            description.append(section.value)
        elif section.kind in (
            griffe.DocstringSectionKind.parameters,
            griffe.DocstringSectionKind.other_parameters,
        ):
            said |= {entry.name.lstrip("*"): _flowing(entry.description) for entry in section.value}
    return _flowing("\n\n".join(description)), {name: text for name, text in said.items() if text}


def _flowing(text: str) -> str:
    """Paragraphs without the line breaks of the source."""
    return "\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def _model(parameters: Mapping[str, tuple[Any, Any]], name: str) -> Any:
    """A pydantic model of the parameters. Its fields are numbered and only aliased, so that any name will do."""
    import pydantic

    fields: dict[str, Any] = {}
    for place, (parameter, (annotation, default)) in enumerate(parameters.items()):
        given = ... if default is inspect.Parameter.empty else default
        fields[f"p{place}"] = (_with_text(annotation), pydantic.Field(given, alias=parameter))
    try:
        return pydantic.create_model(name, __config__=pydantic.ConfigDict(extra="forbid"), **fields)
    except Exception as error:
        raise ToolError(f"{name} cannot be offered: {_unfit(parameters) or error}") from error


def _with_text(annotation: Any) -> Any:
    """`Annotated[int, "the year"]` says what the parameter is, as `Annotated[int, Field(description=…)]` does."""
    import pydantic

    texts = [extra for extra in getattr(annotation, "__metadata__", ()) if isinstance(extra, str)]
    if not texts:
        return annotation
    return typing.Annotated[annotation, pydantic.Field(description=" ".join(texts))]


def _unfit(parameters: Mapping[str, tuple[Any, Any]]) -> str:
    """Which parameter is of a type that has no JSON form."""
    import pydantic

    for parameter, (annotation, _) in parameters.items():
        try:
            pydantic.TypeAdapter(annotation).json_schema()
        except Exception as error:
            first = str(error).strip().split("\n", 1)[0]
            return f"the type of {parameter} has no JSON form ({first}); use str, int, a list, a model …"
    return ""


def _schema(model: Any, name: str) -> dict[str, Any]:
    import pydantic
    from pydantic.json_schema import GenerateJsonSchema

    class Quiet(GenerateJsonSchema):
        # A default without JSON form is left out of the schema: the function fills it in anyway.
        ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}  # noqa: RUF012

    try:
        made = _untitled(model.model_json_schema(by_alias=True, schema_generator=Quiet))
    except (pydantic.errors.PydanticUserError, ValueError, TypeError) as error:
        fields = {field.alias: (field.annotation, None) for field in model.model_fields.values()}
        raise ToolError(f"{name} cannot be offered: {_unfit(fields) or error}") from error
    made.setdefault("properties", {})
    return {key: made[key] for key in _ORDER if key in made}


def _untitled(schema: JsonSchema) -> dict[str, Any]:
    """The schema without the titles pydantic makes of names. A property may well be called `title`."""
    clean: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in _OF_SCHEMAS and isinstance(value, Mapping):
            clean[key] = {name: _untitled(member) for name, member in value.items()}
        elif key not in _OF_VALUES and isinstance(value, Mapping):
            clean[key] = _untitled(value)
        elif key not in _OF_VALUES and isinstance(value, list):
            clean[key] = [_untitled(member) if isinstance(member, Mapping) else member for member in value]
        else:
            clean[key] = value
    return clean


def _builder(model: Any) -> Build:
    names: dict[str, str] = {field: info.alias for field, info in model.model_fields.items()}

    def build(arguments: Mapping[str, Any]) -> dict[str, Any]:
        import pydantic

        try:
            made = model.model_validate(dict(arguments))
        except pydantic.ValidationError as error:
            problems = error.errors(include_url=False, include_context=False, include_input=False)
            lines = [f"- `{'.'.join(map(str, p['loc']))}`: {p['msg']}" for p in problems[:5]]
            raise TryAgain("The arguments do not fit:\n" + "\n".join(lines)) from None
        except Exception as error:  # a validator of the function's author may raise anything
            raise TryAgain(f"The arguments do not fit: {error}") from error
        return {name: getattr(made, field) for field, name in names.items() if field in made.model_fields_set}

    return build
