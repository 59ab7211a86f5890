"""A client that says what it was told to say: the public test double. Law: it keeps the contract as the others do.

client = Scripted(["Hello!"])                                    # answers, in order
client = Scripted(lambda request: request.messages[-1].text)     # or one made for each request
"""

import math
from collections.abc import AsyncGenerator, Callable, Iterable

from opposable.contracts import Constrains
from opposable.errors import ClientRefused
from opposable.messages import Completion, Delta, Request, Usage

Answer = str | Completion
BOTH: frozenset[Constrains] = frozenset({"json_schema", "gbnf"})


class Scripted:
    """A `contracts.Client` that gives scripted answers. `requests` holds what it was asked, in order.

    `answers`: texts or completions, given one after the other, or a function from request to answer. `size`: characters
    of each piece. Constraints are recorded and not enforced: the script is as it is. A completion is given as it is; a
    text gets an estimated usage.
    """

    def __init__(
        self,
        answers: Iterable[Answer] | Callable[[Request], Answer],
        *,
        model: str = "scripted",
        context: int = 8192,
        parameters: int | None = None,
        constrains: frozenset[Constrains] = BOTH,
        size: int = 4,
    ) -> None:
        self.requests: list[Request] = []
        self.closed = False
        self._function = answers if callable(answers) else None
        self._script = iter(()) if callable(answers) else iter(answers)
        self._model = model
        self._context = context
        self._parameters = parameters
        self._constrains = constrains
        self._size = max(1, size)

    @property
    def model(self) -> str:
        """The name it was given."""
        return self._model

    @property
    def context(self) -> int:
        """The tokens it was given; nothing is refused for its length."""
        return self._context

    @property
    def parameters(self) -> int | None:
        """As many as it was told that it has."""
        return self._parameters

    @property
    def constrains(self) -> frozenset[Constrains]:
        """What it was told that it can."""
        return self._constrains

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion, None]:
        """The next answer, in pieces and whole. Errors: ClientRefused, where the script has come to its end."""
        self.requests.append(request)
        answer = self._answer(request)
        for piece in _pieces(answer.reasoning or "", self._size):
            yield Delta(reasoning=piece)
        for piece in _pieces(answer.text, self._size):
            yield Delta(piece)
        yield answer

    async def count_tokens(self, text: str) -> int:
        """An estimate: a token for every four bytes of UTF-8, as in English with most vocabularies."""
        return _estimate(text)

    async def close(self) -> None:
        """Take note of it, in `closed`."""
        self.closed = True

    def _answer(self, request: Request) -> Completion:
        if self._function is not None:
            answer = self._function(request)
        else:
            try:
                answer = next(self._script)
            except StopIteration:
                raise ClientRefused(
                    f"The script has no answer to request {len(self.requests)} ({request.purpose}). Give it one more."
                ) from None
        if isinstance(answer, Completion):
            return answer
        prompt = sum(_estimate(message.text) for message in request.messages)
        return Completion(answer, usage=Usage(prompt_tokens=prompt, completion_tokens=_estimate(answer)))


def _pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _estimate(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", errors="surrogatepass")) / 4)
