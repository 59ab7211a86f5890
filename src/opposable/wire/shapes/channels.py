"""Shapes whose calls are messages with a header. Law: the header says whom the message is for; `channels.py` reads it."""

from opposable.wire.channels import MessageBody, MessageHead
from opposable.wire.shapes.shape import Shape
from opposable.wire.steps import Close

CHANNELS: tuple[Shape, ...] = (
    Shape(
        "harmony",
        "gpt-oss",
        (MessageHead(), MessageBody(), Close(("<|call|>", "<|end|>", "<|return|>", "<|eom|>", "<|eot|>"))),
        access="read-write",
        between="<|start|>assistant",
    ),
)
