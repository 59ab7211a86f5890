"""What a type checker sees of the face: the same names, imported where they are."""

from opposable.clients.scripted import Scripted as Scripted
from opposable.errors import CannotCarry as CannotCarry
from opposable.errors import OpposableError as OpposableError
from opposable.errors import Stop as Stop
from opposable.errors import TryAgain as TryAgain
from opposable.events import ApprovalAsked as ApprovalAsked
from opposable.events import ApprovalGiven as ApprovalGiven
from opposable.events import Event as Event
from opposable.face import Agent as Agent
from opposable.face import Result as Result
from opposable.messages import Message as Message
from opposable.messages import Sampling as Sampling
from opposable.messages import ToolCall as ToolCall
from opposable.messages import ToolSpec as ToolSpec
from opposable.reading import StreamParser as StreamParser
from opposable.reading import call_grammar as call_grammar
from opposable.reading import parse as parse
from opposable.reading import render as render
from opposable.tools.toolbox import Tool as Tool
from opposable.tools.toolbox import tool as tool
from opposable.wire import Reply as Reply
from opposable.wire import collect as collect

__version__: str
__all__: list[str]
