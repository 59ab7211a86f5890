"""The test build of the parser: `opposable.wire` once more, in which each look at text is counted.

Law: whatever takes longer for a longer text counts: a character that is compared, searched, matched or copied, inside
`find`, `re` and `json` too, and an item of a list that is gone over. Only the reading of a place by its number is one
look whatever it is of, and a text's hash, which costs less than making the text did, is none.

The modules are read from their files and compiled anew under another name, with what may look at text turned into calls
of this module. The parser itself is not touched, and nothing of it is patched.
"""

import ast
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from tests.wire.engine import looked

import opposable.wire

COUNTED = "counted_wire"
"""The name of the test build among the modules."""
_REAL = "opposable.wire"
_HERE = "_looks_"
_FOLDER = Path(opposable.wire.__file__).parent

_OF_LISTS = ("copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort")
_OF_PATTERNS = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn")
_METHODS = frozenset(
    (*_OF_LISTS, *_OF_PATTERNS, "group", "groups", "groupdict", "expand", "decode", "raw_decode", "dumps", "escape")
) | {name for name in dir(str) if not name.startswith("_")}
_WHOLE = frozenset(("isalnum", "isalpha", "isdigit", "isidentifier", "isspace"))
"""Methods that go over a whole text and make none."""
_BUILTINS: Mapping[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (all, any, dict, enumerate, filter, float, frozenset, int, list, map, max, min, repr, reversed, set, sorted)
} | {one.__name__: one for one in (str, sum, tuple, zip)}  # fmt: skip


class Counter:
    """How many characters were looked at."""

    def __init__(self) -> None:
        self.looks = 0

    # What the code of the test build calls

    def call(self, holder: Any, name: str, *given: Any, **named: Any) -> Any:
        """`holder.name(…)`."""
        if isinstance(holder, str):
            return self._text(holder, name, given)
        if isinstance(holder, re.Pattern):
            return self._pattern(holder, name, given)
        if isinstance(holder, JSONDecoder):
            return self._decoded(holder, *given)
        found = getattr(holder, name)(*given, **named)
        if isinstance(holder, list):
            moves = (name == "pop" and given) or name in (
                "copy",
                "count",
                "index",
                "insert",
                "remove",
                "reverse",
                "sort",
            )
            self.looks += len(holder) if moves else len(given[0]) if name == "extend" else 0
        elif isinstance(holder, re.Match | ModuleType | bytes):
            self.looks += _size(found) + sum(len(one) for one in given if isinstance(one, str))
        return found

    def bound(self, holder: Any, name: str) -> Any:
        """`holder.name`, to be called later."""
        if holder is str:
            return lambda text, *given: self._text(text, name, given)
        if isinstance(holder, str | re.Pattern | list | JSONDecoder):
            return lambda *given: self.call(holder, name, *given)
        return getattr(holder, name)

    def built(self, name: str, *given: Any, **named: Any) -> Any:
        """A function of Python, which goes over what it is given."""
        if name in ("int", "float", "str", "repr"):
            found = _BUILTINS[name](*given, **named)
            self.looks += sum(len(one) for one in (*given, found) if isinstance(one, str))
            return found
        if name == "reversed":
            return self.over(reversed(*given), is_text=True)
        return _BUILTINS[name](*(self.over(one) for one in given), **named)

    def over(self, items: Any, *, is_text: bool = False) -> Any:
        """What is gone over, one after the other."""
        return self._each(items) if is_text or isinstance(items, str | list) else items

    def _each(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.looks += 1
            yield item

    def item(self, holder: Any, place: Any) -> Any:
        """`holder[place]`."""
        found = holder[place]
        if isinstance(holder, str) or (isinstance(holder, list) and isinstance(place, slice)):
            self.looks += len(found)
        elif isinstance(holder, re.Match):
            self.looks += _size(found)
        return found

    def added(self, one: Any, other: Any) -> Any:
        """`one + other`."""
        found = one + other
        self.looks += _size(found)
        return found

    def grown(self, one: Any, other: Any) -> Any:
        """`one += other`: a list takes up the other, a text is made anew."""
        one += other
        self.looks += len(other) if isinstance(one, list) and isinstance(other, list) else _size(one)
        return one

    def made(self, value: Any) -> Any:
        """A text or list that was made out of others."""
        self.looks += _size(value)
        return value

    def same(self, one: Any, other: Any) -> bool:
        """`one == other`."""
        if isinstance(one, str) and isinstance(other, str):
            self.looks += len(one) if len(one) == len(other) else 1
        elif isinstance(one, list | dict) and isinstance(other, list | dict):
            self.looks += min(len(repr(one)), len(repr(other)))
        return bool(one == other)

    def holds(self, one: Any, holder: Any) -> bool:
        """`one in holder`."""
        if isinstance(holder, str):
            at = holder.find(one)
            self.looks += len(holder) if at < 0 else at + len(one)
        elif isinstance(holder, list):
            self.looks += len(holder)
        return one in holder

    def bisected(self, texts: Sequence[str], text: str) -> int:
        """`bisect_right`: the text is compared with some of the sorted ones."""
        low, high = 0, len(texts)
        while low < high:
            middle = (low + high) // 2
            self.looks += _common(texts[middle], text) + 1
            low, high = (low, middle) if text < texts[middle] else (middle + 1, high)
        assert low == bisect_right(texts, text)
        return low

    # What they look at

    def _text(self, text: str, name: str, given: tuple[Any, ...]) -> Any:
        found = getattr(text, name)(*given)
        if name in ("startswith", "endswith"):
            some = given[0] if isinstance(given[0], tuple) else (given[0],)
            self.looks += 1 + sum(_common(one, text[given[1] if len(given) > 1 else 0 :][: len(one)]) for one in some)
        elif name in ("find", "index", "rfind", "rindex", "count"):
            begin, end, _ = slice(*given[1:3] if len(given) > 2 else (*given[1:2], None)).indices(len(text))
            at = end if name == "count" or found < 0 else found + len(given[0])
            self.looks += end - max(found, begin) if name[0] == "r" else at - begin
        elif name == "join":
            self.looks += len(found)
        elif name in _WHOLE or found is not text:
            self.looks += len(text) + _size(found)
        return found

    def _pattern(self, pattern: re.Pattern[str], name: str, given: tuple[Any, ...]) -> Any:
        if name in ("match", "fullmatch", "search"):
            return self._matched(pattern, name, *given)
        if name == "finditer":
            return self._found(pattern, *given)
        found = getattr(pattern, name)(*given)
        text = given[-1]
        for _ in self._found(pattern, text):
            pass
        self.looks += _size(found)
        return found

    def _matched(self, pattern: re.Pattern[str], how: Any, text: str, pos: int = 0, end: int = sys.maxsize) -> Any:
        found = getattr(pattern, how)(text, pos, end)
        span, looks = looked(pattern, how, text, pos, min(end, len(text)))
        assert span == (None if found is None else found.span()), f"{pattern}: {span}, {found}"
        self.looks += looks
        return found

    def _found(self, pattern: re.Pattern[str], text: str, pos: int = 0) -> Iterator[re.Match[str]]:
        for match in pattern.finditer(text, pos):
            assert match.end() > match.start(), f"{pattern} matches nothing"
            self.looks += looked(pattern, "search", text, pos, len(text))[1]
            pos = match.end()
            yield match
        self.looks += looked(pattern, "search", text, pos, len(text))[1]

    def _decoded(self, decoder: JSONDecoder, text: str, pos: int) -> tuple[Any, int]:
        try:
            value, end = decoder.raw_decode(text, pos)
        except JSONDecodeError as error:
            at = len(text) if error.msg.startswith("Unterminated") else error.pos + 1
            lines = error.pos if type(text) is str else 0  # the error counts the lines before its place
            self.looks += at - pos + lines
            raise
        except (ValueError, RecursionError):
            self.looks += len(text) - pos
            raise
        self.looks += end - pos
        return value, end


def _size(value: Any) -> int:
    """How many characters or items were made."""
    if isinstance(value, tuple):
        return sum(map(_size, value))
    return len(value) if isinstance(value, str | list | bytes) else 0


def _common(one: str, other: str) -> int:
    """How many characters these texts begin with alike."""
    at, most = 0, min(len(one), len(other))
    while at < most and one[at] == other[at]:
        at += 1
    return at


class _Counted(ast.NodeTransformer):
    """Turns what may look at text into calls of the counter."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        if node.module is not None and (node.module == _REAL or node.module.startswith(_REAL + ".")):
            node.module = COUNTED + node.module.removeprefix(_REAL)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.value = None if node.value is None else self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        returns, node.returns = node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in _METHODS:
            node.func = _name("call")
            node.args = [func.value, ast.Constant(func.attr), *node.args]
        elif isinstance(func, ast.Name) and func.id in _BUILTINS:
            node.func = _name("built")
            node.args = [ast.Constant(func.id), *node.args]
        elif isinstance(func, ast.Name) and func.id == "bisect_right":
            node.func = _name("bisected")
        node.func = node.func if isinstance(node.func, ast.Name) else self.visit(node.func)
        node.args = [self.visit(one) for one in node.args]
        node.keywords = [self.visit(one) for one in node.keywords]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and node.attr in _METHODS:
            return _call("bound", node.value, ast.Constant(node.attr))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        place = node.slice
        if isinstance(place, ast.Slice):
            parts = (place.lower, place.upper, place.step)
            place = ast.Call(ast.Name("slice", ast.Load()), [one or ast.Constant(None) for one in parts], [])
        return _call("item", node.value, place)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("added", node.left, node.right) if isinstance(node.op, ast.Add) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target = ast.parse(ast.unparse(node.target), mode="eval").body
        self.generic_visit(node)
        if not isinstance(node.op, ast.Add):
            return node
        return ast.Assign([node.target], _call("grown", self.visit(target), node.value))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        op, other = node.ops[0], node.comparators[0]
        if len(node.ops) > 1 or not isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            return node
        found = _call("same" if isinstance(op, ast.Eq | ast.NotEq) else "holds", node.left, other)
        return ast.UnaryOp(ast.Not(), found) if isinstance(op, ast.NotEq | ast.NotIn) else found

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        return _call("made", node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = self.visit(node.value)
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        copies = isinstance(node.ctx, ast.Load) and any(isinstance(one, ast.Starred) for one in node.elts)
        return _call("made", node) if copies else node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call("over", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call("over", node.iter)
        return node


def _name(function: str) -> ast.Name:
    return ast.Name(f"{_HERE}{function}", ast.Load())


def _call(function: str, *given: ast.expr) -> ast.Call:
    return ast.Call(_name(function), [*given], [])


def _compiled(source: str | bytes, path: str) -> CodeType:
    return compile(ast.fix_missing_locations(_Counted().visit(ast.parse(source))), path, "exec")


def _functions(counter: Counter) -> dict[str, Any]:
    """What the compiled code calls, by the names it has there."""
    return {f"{_HERE}{name}": getattr(counter, name) for name in vars(Counter) if not name.startswith("_")}


def counted(source: str) -> tuple[dict[str, Any], Counter]:
    """What this code defines, compiled as the parser is for the test build, and its counter."""
    counter = Counter()
    names = _functions(counter)
    exec(_compiled(source, "<counted>"), names)
    return names, counter


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, counter: Counter) -> None:
        super().__init__(name, path)
        self.counter = counter

    def get_code(self, fullname: str) -> CodeType:
        return _compiled(self.get_data(self.path), self.path)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(_functions(self.counter))
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def __init__(self, counter: Counter) -> None:
        self.counter = counter

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        first, *rest = name.split(".")
        if first != COUNTED:
            return None
        folder = _FOLDER.joinpath(*rest)
        file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        inside = [str(folder)] if folder.is_dir() else None
        loader = _Loader(name, str(file), self.counter)
        return spec_from_file_location(name, file, loader=loader, submodule_search_locations=inside)


@cache
def machine() -> tuple[Any, Counter]:
    """The test build of `opposable.wire`, and its counter."""
    counter = Counter()
    finder = _Finder(counter)
    sys.meta_path.insert(0, finder)
    try:
        return import_module(COUNTED), counter
    finally:
        sys.meta_path.remove(finder)


def per_character(looks: Callable[[str], int], make: Callable[[int], str]) -> tuple[float, float]:
    """How many looks a character more costs, in a short text and in a longer one. `make`: a text of about this length."""
    texts = [make(size) for size in (100, 500, 1000, 2000)]
    _, short, middle, long = (looks(text) for text in texts)  # with the first is made what is made once
    _, few, more, most = map(len, texts)
    return (middle - short) / (more - few), (long - middle) / (most - more)
