"""The face: an agent in one line, watched, answered, left, gone on with; and the names that the package shows."""

import ast
import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agent.parts import TOOLS, Endless, Slowly, add, call, forbidden, write
from tests.store.parts import gguf

import opposable
from opposable.clients.engine import free_cores
from opposable.clients.llamacpp import LlamaCpp
from opposable.clients.scripted import Scripted
from opposable.errors import ClientRefused, LimitReached, ModelNotFound, ModelUnusable, SettingsError, ToolError
from opposable.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    Event,
    RunEnded,
    RunStarted,
    TextDelta,
    TurnEnded,
)
from opposable.face import Agent, Run
from opposable.messages import Completion, Message, Request, Sampling, ToolCall, ToolSpec, Usage
from opposable.settings import Settings, load
from opposable.store import StoredModel
from opposable.strategies.prompted import Prompted
from opposable.tools.toolbox import tool


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load(
        {}, {"OPPOSABLE_CONFIG": str(tmp_path), "OPPOSABLE_CACHE": str(tmp_path), "OPPOSABLE_DATA": str(tmp_path)}
    )


def agent(answers: Any, **how: Any) -> Agent:
    client = answers if isinstance(answers, Scripted) else Scripted(answers)
    nothing = Settings(None, Path("nowhere"), Path("nowhere"), Path("nowhere"))
    return Agent(client, **{"tools": TOOLS, "strategy": "prompted/hermes", "settings": nothing, **how})


async def seen(run: AsyncIterator[Event], into: list[Event] | None = None) -> list[Event]:
    found = [] if into is None else into
    async for event in run:
        found.append(event)
    return found


def names(events: list[Event] | tuple[Event, ...]) -> list[str]:
    return [type(event).__name__ for event in events if not isinstance(event, TextDelta)]


# run, run_sync


def test_one_line() -> None:
    result = agent([call("add", a=1, b=2), "It is 3."]).run_sync("What is 1 + 2?")
    assert (result.answer, result.status, result.waiting) == ("It is 3.", "done", ())
    assert [message.role for message in result.conversation] == ["user", "assistant", "tool", "assistant"]
    assert names(result.events) == [
        *("RunStarted", "TurnEnded", "CallReady", "CallStarted", "CallEnded", "TurnEnded", "RunEnded")
    ]
    assert result.usage == sum((event.usage for event in result.events if isinstance(event, TurnEnded)), Usage())
    assert "events" not in repr(result)


def test_run_is_the_same() -> None:
    assert asyncio.run(agent(["Hello."]).run("Hi")).answer == agent(["Hello."]).run_sync("Hi").answer == "Hello."


def test_run_sync_within_a_loop_says_what_to_do() -> None:
    async def go() -> None:
        with pytest.raises(RuntimeError, match=r"await agent\.run"):
            agent(["Hello."]).run_sync("Hi")

    asyncio.run(go())
    gc.collect()  # nothing was begun that is never awaited


def test_a_conversation_is_gone_on_with() -> None:
    client = Scripted(["Hello.", "Ada."])
    one = agent(client, instructions="Be brief.")
    first = one.run_sync("Hi, I am Ada.")
    second = one.run_sync([*first.conversation, Message("user", "Who am I?")])
    assert second.answer == "Ada."
    assert [message.role for message in second.conversation] == ["system", "user", "assistant", "user", "assistant"]
    assert [message.text for message in first.conversation] == ["Be brief.", "Hi, I am Ada.", "Hello."]


def test_instructions_come_first_unless_the_conversation_has_its_own() -> None:
    client = Scripted(["a", "b", "c"])
    one = agent(client, tools=(), instructions="Be brief.")
    for prompt in ("hi", [Message("system", "Be long."), Message("user", "hi")], []):
        one.run_sync(prompt)
    assert [request.messages[0].text for request in client.requests] == ["Be brief.", "Be long.", "Be brief."]


def test_typed_functions_and_names_are_tools(tmp_path: Path) -> None:
    def shout(text: str, times: int = 1) -> str:
        """Say it loud.

        Args:
            text: What to say.
            times: How often.
        """
        return text.upper() * times

    (tmp_path / "a.txt").write_text("from the file", "utf-8")
    client = Scripted([call("shout", text="hi", times="2") + call("file_read", path="a.txt"), "Done."])
    result = agent(client, tools=[shout, "file_read"], workspace=tmp_path).run_sync("Please.")
    assert [message.text for message in result.conversation if message.result] == ["HIHI", "from the file"]
    assert '"description": "How often."' in client.requests[0].messages[0].text
    with pytest.raises(ToolError, match="no description"):
        agent([], tools=[lambda: 1])


def test_strategy_and_sampling() -> None:
    client = Scripted(["a", "b"])
    agent(client, sampling=Sampling(temperature=0.25)).run_sync("hi")
    agent(client, strategy=Prompted("plain", Sampling(seed=5)), sampling=Sampling(temperature=1)).run_sync("hi")
    assert [(request.sampling.temperature, request.sampling.seed) for request in client.requests] == [
        (0.25, None),
        (None, 5),
    ]
    with pytest.raises(SettingsError, match="there is no strategy 'magic'"):
        agent(client, strategy="magic").run_sync("hi")
    assert agent([" know", "x"], strategy=None).run_sync("hi").events[0] == RunStarted("scripted", "constrained")


def test_errors_come_out() -> None:
    with pytest.raises(ClientRefused):
        agent([]).run_sync("hi")
    with pytest.raises(LimitReached):
        agent([call("add", a=1, b=1)], turns=1).run_sync("hi")


def test_a_client_of_ones_own_is_not_closed() -> None:
    client = Scripted(["a", "b"])
    one = agent(client)
    one.run_sync("hi")
    asyncio.run(one.close())
    assert not client.closed
    assert one.run_sync("hi").answer == "b"


# Approval


ASKS = [
    Completion(call("write", text="x"), usage=Usage(10, 0, 5, 0.5)),
    Completion("Done.", usage=Usage(20, 0, 2, 0.25)),
]


def test_a_run_waits_and_is_resumed() -> None:
    one = agent(ASKS)
    waiting = one.run_sync("Write x")
    assert (waiting.status, waiting.answer, waiting.usage) == ("waiting", "", Usage(10, 0, 5, 0.5))
    assert [asked.key for asked in waiting.waiting] == ["approve call_1"]
    assert isinstance(waiting.events[-1], RunEnded)
    done = asyncio.run(one.resume(waiting, {"approve call_1": True}))
    assert (done.status, done.answer, done.usage, done.waiting) == ("done", "Done.", Usage(30, 0, 7, 0.75), ())
    assert done.conversation[2].text == "wrote x"
    assert [message.role for message in waiting.conversation] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (False, "The person refused this call: no reason was given."),
        (ApprovalGiven("approve call_1", "refuse", "too long"), "The person refused this call: too long."),
        (ApprovalGiven("approve call_1", "once"), "wrote x"),
    ],
)
def test_resumed_with_any_answer(answer: Any, text: str) -> None:
    one = agent(ASKS)
    done = asyncio.run(one.resume(one.run_sync("Write x"), {"approve call_1": answer}))
    assert (done.conversation[2].text, done.answer) == (text, "Done.")


def test_resumed_without_the_answer_it_still_waits() -> None:
    one = agent(ASKS)
    waiting = one.run_sync("Write x")
    again = asyncio.run(one.resume(waiting, {"approve call_7": True}))
    assert (again.status, again.waiting, again.usage) == ("waiting", waiting.waiting, waiting.usage)


def test_always_holds_until_the_run_ends() -> None:
    one = agent([call("write", text="x"), call("write", text="y"), "Done.", call("write", text="z")])
    waiting = one.run_sync("Write")
    done = asyncio.run(one.resume(waiting, {"approve call_1": ApprovalGiven("approve call_1", "always")}))
    assert (done.answer, names(done.events).count("ApprovalAsked")) == ("Done.", 1)
    assert one.run_sync("Write").status == "waiting"


def test_settings_may_allow_for_good() -> None:
    nothing = Settings(None, Path("nowhere"), Path("nowhere"), Path("nowhere"), always_allow=("write",))
    assert agent(ASKS, settings=nothing).run_sync("Write x").answer == "Done."


async def yes(made: ToolCall) -> bool:
    await asyncio.sleep(0)
    return made.arguments == {"text": "x"}


async def no(made: ToolCall) -> bool:
    await asyncio.sleep(0)
    return False


@pytest.mark.parametrize(
    ("approve", "runs"),
    [
        (lambda made: True, True),
        (lambda made: False, False),
        (lambda made: ApprovalGiven("k", "always"), True),
        (lambda made: ApprovalGiven("k", "refuse", "no"), False),
        (yes, True),
        (no, False),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_function_in_place_of_the_person(approve: Any, runs: bool, streamed: bool) -> None:
    one = agent(ASKS, approve=approve)
    watched = one.stream("Write x")
    events = asyncio.run(seen(aiter(watched))) if streamed else list(one.run_sync("Write x").events)
    assert any(isinstance(event, CallStarted) for event in events) == runs
    assert names(events)[2:5] == ["CallReady", "ApprovalAsked", "ApprovalGiven"]
    assert events[-1] == RunEnded("Done.", Usage(30, 0, 7, 0.75))


@pytest.mark.parametrize("answer", [None, "no", "yes", 1])
def test_what_is_neither_a_yes_nor_a_no_lets_nothing_run(answer: Any) -> None:
    one = agent(ASKS)
    waiting = one.run_sync("Write x")
    for approve in (lambda made: answer, yes_or(answer)):
        with pytest.raises(TypeError, match="answer True, False, or an ApprovalGiven"):
            agent(ASKS, approve=approve).run_sync("Write x")
    with pytest.raises(TypeError):
        asyncio.run(one.resume(waiting, {"approve call_1": answer}))
    with pytest.raises(TypeError):
        one.stream("Write x").answer("approve call_1", answer)


def yes_or(answer: Any) -> Any:
    async def approve(made: ToolCall) -> Any:
        return answer

    return approve


def test_a_function_is_not_asked_where_the_answer_is_known() -> None:
    def broken(made: ToolCall) -> bool:
        raise ZeroDivisionError

    one = agent(ASKS)
    waiting = one.run_sync("Write x")
    two = agent(["Done."], approve=broken)
    assert asyncio.run(two.resume(waiting, {"approve call_1": True})).answer == "Done."
    with pytest.raises(ZeroDivisionError):
        asyncio.run(two.resume(waiting, {}))


@pytest.mark.parametrize("with_settings", [False, True])
def test_a_workspace_may_be_in_the_home_folder(
    with_settings: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    client = Scripted([call("file_write", path="a.txt", content="x"), "Done."])
    settings = load({}, {}) if with_settings else None
    one = agent(client, tools=["file_write"], approve=lambda _: True, workspace="~/files", settings=settings)
    one.run_sync("Write.")
    assert (tmp_path / "files" / "a.txt").read_text("utf-8") == "x"


# stream


def test_a_run_is_watched() -> None:
    async def go() -> None:
        run = agent([call("add", a=1, b=2), "It is 3."]).stream("What is 1 + 2?")
        events = await seen(aiter(run))
        assert names(events) == [
            *("RunStarted", "TurnEnded", "CallReady", "CallStarted", "CallEnded", "TurnEnded", "RunEnded")
        ]
        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "It is 3."
        assert [message.role for message in run.conversation] == ["user", "assistant", "tool", "assistant"]

    asyncio.run(go())


@pytest.mark.parametrize("at_once", [True, False])
def test_a_question_is_answered_while_it_runs(at_once: bool) -> None:
    async def go() -> None:
        run = agent(ASKS).stream("Write x")
        events = []
        if at_once:
            run.answer("approve call_1", True)
        async for event in run:
            events.append(event)
            if isinstance(event, ApprovalAsked) and not at_once:
                asyncio.get_running_loop().call_later(0.02, run.answer, event.key, True)
        assert events[-1] == RunEnded("Done.", Usage(30, 0, 7, 0.75))
        assert ApprovalGiven("approve call_1", "once") in events

    asyncio.run(go())


def test_a_waiting_run_may_be_gone_on_with_and_watched() -> None:
    async def go() -> None:
        one = agent(ASKS)
        waiting = await one.run("Write x")
        run = one.stream(waiting.conversation)
        async for event in run:
            if isinstance(event, ApprovalAsked):
                run.answer(event.key, ApprovalGiven(event.key, "refuse", "no"))
        assert run.conversation[-1].text == "Done."

    asyncio.run(go())


async def idle(rounds: int = 10) -> None:
    for _ in range(rounds):
        await asyncio.sleep(0)


@pytest.mark.parametrize("how", ["break", "aclose", "error", "cancel", "never begun"])
def test_leaving_stops_the_run_and_the_model(how: str) -> None:
    client = Endless()

    async def watch(run: Run) -> None:
        async for event in run:
            if isinstance(event, TextDelta):
                if how == "error":
                    raise ZeroDivisionError
                if how == "cancel":
                    await asyncio.Event().wait()
                break

    async def go() -> None:
        run = agent(client).stream("Go on.")
        if how == "never begun":
            await idle()
            assert client.said == 0
            return
        if how == "aclose":
            events = aiter(run)
            while not isinstance(await anext(events), TextDelta):
                pass
            await events.aclose()  # type: ignore[attr-defined]
        elif how == "cancel":
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(watch(run), 0.05)
        elif how == "error":
            with pytest.raises(ZeroDivisionError):
                await watch(run)
        else:
            await watch(run)
        await idle()
        said = client.said
        await idle()
        assert (client.said, client.stopped) == (said, 1)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(go())


def test_leaving_while_a_tool_runs_and_while_a_person_is_asked() -> None:
    async def forever() -> None:
        """Go on forever."""
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.append("tool")

    async def go(said: str, last: type[Any]) -> None:
        async for event in agent([said], tools=[forever, write]).stream("Go."):
            if isinstance(event, last):
                if last is CallStarted:
                    await begun.wait()
                break
        await idle()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    begun = asyncio.Event()
    ended: list[str] = []
    asyncio.run(go(call("forever"), CallStarted))
    asyncio.run(go(call("write", text="x"), ApprovalAsked))
    assert ended == ["tool"]


@pytest.mark.parametrize(
    ("answers", "error"),
    [([], ClientRefused), ([call("add", a=1, b=1)] * 5, LimitReached), (lambda request: 1 / 0, ZeroDivisionError)],
)
def test_errors_come_out_of_the_stream_and_it_ends(answers: Any, error: type[Exception]) -> None:
    async def go() -> None:
        events: list[Event] = []
        with pytest.raises(error):
            await seen(aiter(agent(answers, turns=2).stream("hi")), events)
        assert isinstance(events[0], RunStarted)
        assert not any(isinstance(event, RunEnded) for event in events)

    asyncio.run(asyncio.wait_for(go(), 5))
    gc.collect()


def test_an_error_that_is_not_awaited_is_not_left_behind() -> None:
    async def go() -> None:
        async for _ in agent([]).stream("hi"):
            break  # the run fails meanwhile
        await idle()

    asyncio.run(go())
    gc.collect()


def test_a_model_that_is_not_there_is_told_by_the_stream(settings: Settings) -> None:
    async def go() -> None:
        with pytest.raises(ModelNotFound):
            await seen(aiter(Agent("no/such.gguf", settings=settings).stream("hi")))

    asyncio.run(go())


def test_cancelled_anywhere_nothing_is_left_running() -> None:
    async def watch() -> None:
        one = agent(Slowly([call("add", a=1, b=2) + call("write", text="x"), "Done."], size=30), approve=yes)
        await seen(aiter(one.stream("hi")))

    async def go(waits: int) -> bool:
        task = asyncio.create_task(watch())
        for _ in range(waits):
            if task.done():
                break
            await asyncio.sleep(0)
        ended = task.done()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await idle(3)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return ended

    for waits in range(40):
        asyncio.run(go(waits))


# Two runs at once


def test_two_runs_of_one_agent_at_once() -> None:
    def knows(request: Request) -> str:
        number = next(word for word in request.messages[1].text.split() if word.isdigit())
        if request.messages[-1].role == "user" and "<tool_response>" in request.messages[-1].text:
            return f"{number} it is."
        return call("add", a=number, b=0) + call("write", text=number)

    async def go() -> None:
        one = agent(Slowly(knows), approve=yes_to_all)
        results = await asyncio.gather(*(one.run(f"Say {number} please") for number in range(6)))
        for number, result in enumerate(results):
            assert result.answer == f"{number} it is."
            assert [message.text for message in result.conversation if message.result] == [
                str(number),
                f"wrote {number}",
            ]
            assert [event.call.id for event in result.events if isinstance(event, CallStarted)] == ["call_1", "call_2"]

    async def yes_to_all(made: ToolCall) -> bool:
        await asyncio.sleep(0)
        return True

    asyncio.run(go())


def test_a_model_is_loaded_once(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf({"tokenizer.chat_template": "{{ messages }}"}))
    one = Agent(str(path), settings=settings)
    loaded: list[object] = []
    threads = [threading.Thread(target=lambda: loaded.append(one._load())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loaded) == 8
    assert len({id(client) for client in loaded}) == 1
    asyncio.run(one.close())
    asyncio.run(one.close())


def test_a_model_that_cannot_be_used(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"nothing of the kind")
    for one in (Agent(str(path), settings=settings), Agent(settings=replace(settings, default_model=str(path)))):
        with pytest.raises(ModelUnusable):
            one.run_sync("hi")


# The names of the package


def test_the_stub_names_what_the_package_names() -> None:
    root = Path(opposable.__file__).parent
    stub = ast.parse((root / "__init__.pyi").read_text("utf-8"))
    found = {
        alias.asname or alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert found.keys() == set(opposable.__all__)
    assert found == {name: f"opposable.{where}" for name, where in vars(opposable)["_WHERE"].items()}
    assert set(dir(opposable)) == {*opposable.__all__, "__version__"}
    for name in opposable.__all__:
        assert getattr(opposable, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Agnet'"):
        opposable.Agnet  # type: ignore[attr-defined]  # noqa: B018


SAID = 'Well: <tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>'


each_kind_of_tool = pytest.mark.parametrize(
    "offered",
    [
        add,
        tool(add),
        tool(add).spec,
        ToolSpec("add"),
        {"name": "add", "parameters": {"type": "object"}},
        {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}},
    ],
    ids=["function", "Tool", "spec", "bare spec", "dict", "OpenAI dict"],
)


@each_kind_of_tool
def test_parse_takes_any_kind_of_tool(offered: Any) -> None:
    reply = opposable.parse(SAID, [offered])
    assert [(made.name, made.arguments) for made in reply.tool_calls] == [("add", {"a": 1, "b": 2})]
    assert opposable.parse(SAID, [offered, forbidden]) == reply


@each_kind_of_tool
def test_the_rest_of_the_parser_takes_any_kind_of_tool(offered: Any) -> None:
    parser = opposable.StreamParser([offered, forbidden], starts_in_reasoning=True)
    events = [*parser.feed("</think>" + SAID[:20]), *parser.feed(SAID[20:]), *parser.close("stop")]
    assert opposable.collect(events) == opposable.parse(SAID, [offered])
    calls = opposable.collect(events).tool_calls
    written = opposable.render(calls, "hermes", tools=(one for one in [offered]))
    assert (
        written
        == opposable.render(calls, "hermes")
        == '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
    )
    with pytest.raises(opposable.CannotCarry):
        opposable.render(calls, "hermes", tools=[forbidden])
    grammar = opposable.call_grammar([offered], "hermes")
    assert "add" in grammar.gbnf
    assert grammar.schema is not None


def test_a_function_gives_the_parser_its_schema() -> None:
    parser = opposable.StreamParser([add])
    said = "<function=add><parameter=a>1</parameter><parameter=b>2</parameter></function>"
    (call,) = opposable.collect([*parser.feed(said), *parser.close()]).tool_calls
    assert call.arguments == {"a": 1, "b": 2}
    assert opposable.call_grammar([add], "hermes") == opposable.call_grammar([tool(add).spec], "hermes")


READERS: list[Callable[[Any], object]] = [
    lambda tools: opposable.parse(SAID, tools),
    lambda tools: opposable.StreamParser(tools),
    lambda tools: opposable.render([ToolCall("1", "add", {"a": 1, "b": 2})], "hermes", tools),
    lambda tools: opposable.call_grammar(tools, "hermes"),
]


@pytest.mark.parametrize("reader", READERS, ids=["parse", "StreamParser", "render", "call_grammar"])
def test_what_is_no_tool_is_refused(reader: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match="a tool is an object or dict"):
        reader([5])
    with pytest.raises(ToolError, match="no description"):
        reader([lambda: 1])


def test_parse_hands_on_what_it_is_told() -> None:
    assert opposable.parse("hi", finish_reason="length", starts_in_reasoning=True, shape="hermes").reasoning == "hi"


@pytest.mark.parametrize("given", [None, b"hi", bytearray(b"hi"), 5])
def test_a_reply_is_text(given: Any) -> None:
    hint = "decode it first" if isinstance(given, bytes | bytearray) else "give '' where nothing was said"
    said = rf"a reply is text \(str\), this is {type(given).__name__}: {hint}"
    with pytest.raises(TypeError, match=said):
        opposable.parse(given)
    parser = opposable.StreamParser()
    with pytest.raises(TypeError, match=said):
        parser.feed(given)
    assert opposable.collect([*parser.feed("hi"), *parser.close()]) == opposable.parse("hi")


# The embedded model


@pytest.mark.model
def test_the_embedded_model_calculates(small_model: StoredModel) -> None:
    client = LlamaCpp(small_model.path, small_model.name, context=2048, threads=min(2, free_cores()))

    async def go() -> None:
        one = Agent(client, tools=["calculate"], sampling=Sampling(temperature=0, seed=1))
        events = await seen(aiter(one.stream("What is 17 * 23?")))
        assert "391" in next(event.answer for event in events if isinstance(event, RunEnded))
        (started,) = [event.call for event in events if isinstance(event, CallStarted)]
        assert (started.name, started.arguments["expression"].replace(" ", "")) == ("calculate", "17*23")
        (ended,) = [event.result for event in events if isinstance(event, CallEnded)]
        assert (ended.text, ended.failed) == ("391", False)
        async for event in one.stream("Tell me a long story about the sea."):
            if isinstance(event, TextDelta):
                break
        assert "9801" in (await one.run("What is 99 * 99?")).answer
        await client.close()

    asyncio.run(go())


@pytest.mark.model
def test_an_agent_lets_go_of_the_model_it_loaded_and_loads_it_again(small_model: StoredModel) -> None:
    one = Agent(
        str(small_model.path), tools=["calculate"], sampling=Sampling(temperature=0, max_tokens=8), strategy="prompted"
    )
    first = one.run_sync("Hello!")
    assert one._client is None
    assert one.run_sync("Hello!").answer == first.answer
