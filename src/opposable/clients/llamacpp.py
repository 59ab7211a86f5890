"""A client of a model in this process, run by llama.cpp. Law: what is asked is what `messages.Request` says, no more.

Roles and texts go to the model's own chat template. Tools and calls do not: strategies write those as text themselves.
"""

import asyncio
import json
import time
import weakref
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from opposable.clients.engine import Chunk, Engine, Job
from opposable.contracts import Constrains
from opposable.errors import ClientError, ClientRefused, ClientUnavailable, OpposableError
from opposable.messages import (
    Completion,
    Constraint,
    Delta,
    JsonSchema,
    Message,
    Request,
    Sampling,
    Token,
    Usage,
)

# llama.cpp says nothing when it cannot make a grammar of a schema: it answers as if there were none.
_NOT_HELD = (
    "llama.cpp could not hold the answer to the schema: it is not valid, or has a `pattern` that it cannot read. "
    "Simplify the schema."
)
# A small model that repeats itself would go on until its context is full, which takes minutes.
_MOST_TOKENS = 1024
_JSON_STARTS = frozenset('{["-0123456789tfn')


class LlamaCpp:
    """A GGUF file as a `contracts.Client`. It is loaded at the first question; questions wait their turn.

    `context`: tokens of question and answer together. `parameters`: how many the model has, if known. `threads`: None for
    the cores that are free when it is loaded. `template`: Jinja, in place of the file's. `stop`: strings that end every
    answer. An answer has at most 1,024 tokens where the request sets no limit. Loading holds the interpreter for a
    moment: about 0.4 s for 100 MB.
    """

    def __init__(
        self,
        path: Path,
        model: str,
        *,
        context: int = 8192,
        parameters: int | None = None,
        threads: int | None = None,
        template: str | None = None,
        stop: tuple[str, ...] = (),
    ) -> None:
        self._model = model
        self._context = context
        self._parameters = parameters
        self._stop = stop
        self._engine = Engine(path, context=self._context, threads=threads, template=template)
        # Forgotten, or at work when the interpreter ends: either way the engine's thread is stopped and waited for.
        self._end = weakref.finalize(self, self._engine.close)

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._model

    @property
    def context(self) -> int:
        """Tokens for question and answer together. Before the model is loaded: as many as were asked for."""
        return self._engine.context or self._context

    @property
    def parameters(self) -> int | None:
        """How many parameters the model has, if whoever made this knew."""
        return self._parameters

    @property
    def constrains(self) -> frozenset[Constrains]:
        """Both ways."""
        return frozenset({"json_schema", "gbnf"})

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion, None]:
        """Ask: the pieces, at last the `Completion`. Closing it stops the model within a token.

        With a constraint, `alternatives` are what the model would have said without it.
        Errors: ClientRefused (too long, a grammar or schema that cannot be read), ClientUnavailable (not installed,
        closed), ModelUnusable, ModelNotFound.
        """
        loop = asyncio.get_running_loop()
        heard: asyncio.Queue[Chunk | OpposableError | None] = asyncio.Queue()

        def say(what: Chunk | OpposableError | None) -> None:
            try:
                loop.call_soon_threadsafe(heard.put_nowait, what)
            except RuntimeError:  # the loop was closed: nobody listens any more
                job.stop.set()

        schema = _schema(request.constraint)
        job = Job(_body(request, self._stop), schema, say)
        answer = _Answer(self._model, time.perf_counter(), json_only=schema is not None)
        self._engine.submit(job)
        try:
            while (chunk := await heard.get()) is not None:
                if isinstance(chunk, OpposableError):
                    raise chunk
                if text := answer.take(chunk):
                    yield Delta(text)
        finally:
            job.stop.set()
        yield answer.completion()

    async def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of `text`, without any that a template would add. Errors: as `stream`."""
        await asyncio.shield(asyncio.wrap_future(self._engine.load()))
        return await asyncio.to_thread(self._engine.count, text)

    async def close(self) -> None:
        """Stop what runs and let go of the model. Safe to call twice."""
        await asyncio.to_thread(self._end)


class _Answer:
    """An answer as its chunks come in."""

    def __init__(self, model: str, started: float, *, json_only: bool) -> None:
        self._model = model
        self._json_only = json_only
        self._started = started
        self._pieces: list[str] = []
        self._tokens: list[Token] = []
        self._finish: str | None = None
        self._usage = Usage()

    def take(self, chunk: Chunk) -> str:
        """The new text in this chunk. Errors: ClientRefused, ClientUnavailable."""
        if "error" in chunk:
            raise _error(chunk["error"], self._model)
        usage = chunk.get("usage")
        if usage:
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
            self._usage = Usage(usage["prompt_tokens"], cached, usage["completion_tokens"])
        if not chunk.get("choices"):
            return ""
        choice = chunk["choices"][0]
        self._finish = choice.get("finish_reason") or self._finish
        self._tokens += [_token(entry) for entry in (choice.get("logprobs") or {}).get("content") or ()]
        text: str = choice["delta"].get("content") or ""
        if text and not self._pieces and self._json_only and text.lstrip()[:1] not in _JSON_STARTS:
            raise ClientRefused(_NOT_HELD)
        if text:
            self._pieces.append(text)
        return text

    def completion(self) -> Completion:
        text = "".join(self._pieces)
        if self._json_only and self._finish == "stop":
            try:
                json.loads(text)
            except ValueError:
                raise ClientRefused(_NOT_HELD) from None
        return Completion(
            text=text,
            finish_reason=self._finish,
            usage=self._usage + Usage(seconds=time.perf_counter() - self._started),
            tokens=tuple(self._tokens),
        )


def _schema(constraint: Constraint | None) -> JsonSchema | None:
    """The schema to hold the answer to, where no grammar says the same."""
    return constraint.schema if constraint is not None and constraint.gbnf is None else None


def _body(request: Request, stop: tuple[str, ...]) -> dict[str, Any]:
    body: dict[str, Any] = {
        **request.extra,
        "messages": _messages(request.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
        # Chunks come while the question is read, too, so that it can be stopped there.
        "return_progress": True,
        **_sampling(request.sampling),
    }
    if stops := [*request.sampling.stop, *stop]:
        body["stop"] = stops
    if request.alternatives > 0:
        body |= {"logprobs": True, "top_logprobs": request.alternatives}
    if request.constraint is not None and request.constraint.gbnf is not None:
        body["grammar"] = request.constraint.gbnf
    return body


def _messages(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    said = [
        {
            "role": "user" if message.role == "tool" else message.role,
            "content": message.text or (message.result.text if message.result else ""),
        }
        for message in messages
    ]
    # An empty beginning of the answer would make llama.cpp leave out the line that opens it.
    if said and said[-1] == {"role": "assistant", "content": ""}:
        said.pop()
    return said


def _sampling(sampling: Sampling) -> dict[str, Any]:
    values = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "seed": sampling.seed,
        "max_tokens": sampling.max_tokens or _MOST_TOKENS,
    }
    return {name: value for name, value in values.items() if value is not None}


def _token(entry: Chunk) -> Token:
    return Token(
        _token_text(entry),
        float(entry["logprob"]),
        tuple((_token_text(other), float(other["logprob"])) for other in entry.get("top_logprobs") or ()),
    )


def _token_text(entry: Chunk) -> str:
    # A token may be half a character, which its `bytes` tell and its text does not.
    return bytes(entry["bytes"]).decode("utf-8", errors="replace") if entry.get("bytes") else str(entry["token"])


def _error(error: Chunk, model: str) -> ClientError:
    if error.get("type") == "exceed_context_size_error":
        return ClientRefused(
            f"The question has {error['n_prompt_tokens']:,} tokens, and {model} takes {error['n_ctx']:,} for question "
            "and answer together. Shorten the conversation, offer fewer tools, or set a larger context."
        )
    message = str(error.get("message", error))
    if "grammar" in message:
        return ClientRefused(f"llama.cpp cannot read the grammar: {message}. Check that its rules are all defined.")
    if int(error.get("code", 500)) < 500:
        return ClientRefused(f"llama.cpp refused the request: {message}. Change what it names.")
    return ClientUnavailable(f"llama.cpp failed on the request: {message}. Try again, or with a smaller context.")
