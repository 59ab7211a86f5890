"""The errors of Opposable, and the few signals that are no failures. Law: every error says what to do.

OpposableError                 anything that went wrong here; catch this one
├── SettingsError              a settings file, environment variable or flag that cannot be read
├── ModelError                 a model cannot be had or used
│   ├── ModelNotFound          no such model in the store, in the catalogue, at that path
│   ├── ModelNotFetched        fetching failed: no network, disk full, wrong hash
│   └── ModelUnusable          the file is no GGUF, or its architecture is not supported
├── ClientError                a model (server) was asked and did not answer as it should
│   ├── ClientRefused          it refused the request: too long, not able to, malformed
│   └── ClientUnavailable      it is not there, or a package that it needs is not installed
├── ToolError                  a tool cannot be offered: no types, no description, a name twice
├── LimitReached               a run came to one of its limits
└── CannotCarry                a value that a wire shape has no way to write

Control                        not failures: what a tool or a runtime says to the loop
├── TryAgain                   raised by a tool: the text goes to the model, which may try another way
├── Stop                       raised by a tool: end the run, with this text as its answer
└── Paused                     raised by a runtime: the run waits for an answer nobody here can give
"""


class OpposableError(Exception):
    """Anything that went wrong here. Its text says what happened and what to do."""


class SettingsError(OpposableError):
    """A settings file, an environment variable or a flag that cannot be read."""


class ModelError(OpposableError):
    """A model cannot be had or used."""


class ModelNotFound(ModelError):
    """No such model in the store, in the catalogue or at that path."""


class ModelNotFetched(ModelError):
    """Fetching a model failed: no network, disk full, wrong hash."""


class ModelUnusable(ModelError):
    """The file is not a GGUF, or this build cannot run its architecture."""


class ClientError(OpposableError):
    """A model was asked and did not answer as it should."""


class ClientRefused(ClientError):
    """The model's server refused the request: too long, not able to, malformed."""


class ClientUnavailable(ClientError):
    """The model's server is not there, or the package that runs it is not installed."""


class ToolError(OpposableError):
    """A tool cannot be offered: a parameter without a type, no description, the same name twice."""


class LimitReached(OpposableError):
    """A run came to one of its limits (turns)."""


class CannotCarry(OpposableError):
    """A value that a wire shape has no way to write."""


class Control(Exception):
    """Not a failure: something a tool or a runtime says to the loop."""


class TryAgain(Control):
    """Raised by a tool: this text goes to the model, which may try another way."""


class Stop(Control):
    """Raised by a tool: the run ends here, with this text as its answer."""


class Paused(Control):
    """Raised by a runtime: the run waits for an answer that nobody here can give now."""
