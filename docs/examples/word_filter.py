#!/usr/bin/env python3
"""word-filter: an agent that refuses posts with a listed word. Python 3.9 or newer, nothing to install.

    AGENT_SOCKET=/tmp/word-filter.sock python3 word_filter.py

It speaks version 2 of the agent protocol over a unix socket. The gateway sends the words from the agent's `config`
block: `words "a" "b"`. SIGTERM or SIGINT drains it.
"""
import asyncio
import base64
import contextlib
import itertools
import json
import os
import signal
import socket
import stat
import struct
import sys
import time

NAME, VERSION = "word-filter", "1.0.0"
AGENT_ID = f"{NAME}-{os.urandom(6).hex()}"
MAX_FRAME, MAX_BODY_SIZE, MAX_CONCURRENCY = 16_777_216, 10_485_760, 100
HEALTH_S, METRICS_S, DRAIN_S = 5, 10, 5

HANDSHAKE_REQUEST, HANDSHAKE_RESPONSE = 0x01, 0x02
EVENTS = range(0x10, 0x18)
REQUEST_HEADERS, REQUEST_BODY_CHUNK, GUARDRAIL_INSPECT, CONFIGURE = 0x10, 0x11, 0x16, 0x17
AGENT_RESPONSE, HEALTH_STATUS, METRICS_REPORT, CANCEL, PING, PONG = 0x20, 0x30, 0x31, 0x40, 0x41, 0x42
HEALTHY, DRAINING = 1, 3

CAPABILITIES = {
    "agent_id": AGENT_ID, "name": NAME, "version": VERSION,
    "supported_events": [1, 2, 8],  # request headers, request body chunks, configure
    "features": {
        "streaming_body": True, "websocket": False, "guardrails": False, "config_push": True, "metrics_export": True,
        "cancellation": True, "flow_control": False, "health_reporting": True, "concurrent_requests": MAX_CONCURRENCY,
    },
    "limits": {"max_body_size": MAX_BODY_SIZE, "max_concurrency": MAX_CONCURRENCY, "preferred_chunk_size": 65_536},
}


def log(text):
    print(f"{NAME}: {text}", file=sys.stderr, flush=True)


def allow(filtered=None, **more):
    operations = [{"set": {"name": "X-Filtered", "value": filtered}}] if filtered else []
    return {"version": 2, "decision": "allow", "request_headers": operations, **more}


def block(status, body):
    return {"version": 2, "decision": {"block": {"status": status, "body": body}}}


def read_words(config):
    """The words of a configuration, as bytes. Raises ValueError if the configuration is invalid."""
    words = config.get("words") if isinstance(config, dict) else None
    words = [words] if isinstance(words, str) else words
    if not isinstance(words, list) or not words:
        raise ValueError("words: set at least one word")
    if not all(isinstance(word, str) and word for word in words):
        raise ValueError("words: use non-empty texts")
    return [word.encode() for word in words]


async def read_frame(reader):
    """The next frame as type, payload and message; None at the end of input. Raises ValueError if malformed."""
    first = await reader.read(1)
    if not first:
        return None
    length = struct.unpack(">I", first + await reader.readexactly(3))[0]
    if not 1 <= length <= MAX_FRAME:
        raise ValueError(f"a frame of {length} bytes")
    frame = await reader.readexactly(length)
    message = json.loads(frame[1:].decode())  # decode: json alone would also accept UTF-16
    if not isinstance(message, dict):
        raise ValueError("the payload is not a JSON object")
    return frame[0], frame[1:], message


class Connection:
    """One connection of a gateway. The state of its requests ends with it."""

    def __init__(self, agent, reader, writer):
        self.agent, self.reader, self.writer = agent, reader, writer
        self.calls = {}  # by correlation id: the task that makes the answer
        self.bodies = {}  # by correlation id: the size of the body so far, and its last bytes

    def write(self, kind, payload):
        if not self.writer.is_closing():
            self.writer.write(struct.pack(">IB", len(payload) + 1, kind) + payload)

    def send(self, kind, message):
        self.write(kind, json.dumps(message).encode())

    async def serve(self):
        reports = None
        try:
            if await self.shake_hands():
                self.agent.connections.add(self)
                reports = asyncio.create_task(self.report())
                while frame := await read_frame(self.reader):
                    await self.take(*frame)
                    await self.writer.drain()  # a gateway that does not read answers gets no further ones
        except (ValueError, EOFError, RecursionError, OSError) as error:
            log(f"connection closed: {error}")
        except asyncio.CancelledError:
            pass  # the agent ends before this connection does
        finally:
            self.agent.connections.discard(self)
            for task in filter(None, (reports, *self.calls.values())):
                task.cancel()
            self.writer.close()

    async def shake_hands(self):
        frame, error = await read_frame(self.reader), None
        if frame is None:
            return False
        kind, _, message = frame
        if kind != HANDSHAKE_REQUEST:
            raise ValueError("no handshake")
        try:
            if 2 not in (message.get("supported_versions") or []):
                raise ValueError("this agent speaks version 2 only")
            self.agent.words = read_words(message.get("config"))
        except (ValueError, TypeError) as reason:
            error = str(reason)
            log(f"handshake refused: {error}")
        self.send(HANDSHAKE_RESPONSE, {"protocol_version": 2, "success": error is None, "error": error,
                                       "encoding": "json", "capabilities": CAPABILITIES})
        return error is None

    async def report(self):
        for beat in itertools.count():
            self.send(HEALTH_STATUS, self.agent.health())
            if beat and beat * HEALTH_S % METRICS_S == 0:
                self.send(METRICS_REPORT, self.agent.metrics())
            await asyncio.sleep(HEALTH_S)

    async def take(self, kind, payload, message):
        if kind == PING:
            return self.write(PONG, payload)  # the same bytes
        call = message.get("correlation_id")
        if kind not in (*EVENTS, CANCEL) or not isinstance(call, str):
            raise ValueError(f"a frame of type {kind:#04x} is unknown or has no correlation_id")
        if kind == CANCEL:
            self.bodies.pop(call, None)
            if call in self.calls:
                self.calls.pop(call).cancel()
            return
        if call in self.calls:
            raise ValueError("two concurrent events of one request")
        if len(self.calls) >= MAX_CONCURRENCY:  # more than announced: wait
            await asyncio.wait(list(self.calls.values()), return_when=asyncio.FIRST_COMPLETED)
        # One task per event, so a slow answer delays no other.
        self.calls[call] = asyncio.create_task(self.answer(kind, call, message))

    async def answer(self, kind, call, event):
        try:
            response = await self.decide(kind, call, event)
        except Exception as error:  # no answer is better than a wrong one: the gateway applies its failure mode
            log(f"connection closed: event of type {kind:#04x}: {error!r}")
            return self.writer.close()
        del self.calls[call]  # before the answer is sent, because the next event of this request can follow at once
        self.send(AGENT_RESPONSE, {**response, "audit": {"custom": {"correlation_id": call}}})

    async def decide(self, kind, call, event):
        """The decision. It can await anything and must not block."""
        if kind == REQUEST_BODY_CHUNK:
            response = self.look_at(call, event)
            self.agent.blocked += response["decision"] != "allow"
            return response
        self.bodies.pop(call, None)  # any other event of a request ends its body
        if kind == REQUEST_HEADERS:
            self.agent.requests += 1
            if event.get("method") != "POST":
                return allow("no")
            self.bodies[call] = (0, b"")
            return allow(needs_more=True)
        if kind == CONFIGURE:
            try:
                self.agent.words = read_words(event.get("config"))  # all words, or none if this raises
            except ValueError as error:
                return block(400, f"Configuration rejected: {error}")
        return allow(detected=False) if kind == GUARDRAIL_INSPECT else allow()

    def look_at(self, call, chunk):
        if call not in self.bodies:
            return block(503, "The beginning of the body is missing.\n")
        size, end = self.bodies.pop(call)
        data = base64.b64decode(chunk.get("data") or "", validate=True)
        size, text = size + len(data), end + data
        if size > MAX_BODY_SIZE:
            return block(413, "Too long.\n")
        if any(word in text for word in self.agent.words):
            return block(403, "Not that word.\n")
        if chunk.get("is_last"):
            return allow("yes")
        # Keep only the end of the body: a word can begin in this chunk and end in the next.
        self.bodies[call] = (size, text[-max(map(len, self.agent.words)):])
        return allow(needs_more=True)


class Agent:
    """State shared by all connections."""

    def __init__(self):
        self.words, self.connections, self.state, self.requests, self.blocked = [], set(), HEALTHY, 0, 0

    def health(self):
        return {"agent_id": AGENT_ID, "state": self.state, "message": None, "timestamp_ms": int(time.time() * 1000)}

    def metrics(self):
        counters = [
            {"name": "requests_total", "help": "Requests inspected.", "labels": {}, "value": self.requests},
            {"name": "blocked_total", "help": "Requests refused.", "labels": {}, "value": self.blocked},
        ]
        return {"agent_id": AGENT_ID, "timestamp_ms": int(time.time() * 1000), "interval_ms": METRICS_S * 1000,
                "counters": counters, "gauges": [], "histograms": []}

    async def drain(self):
        """Announces the drain, answers the calls in progress, and closes."""
        self.state = DRAINING
        for connection in self.connections:
            connection.send(HEALTH_STATUS, self.health())
        for _ in range(DRAIN_S * 5):
            await asyncio.sleep(0.2)  # at least once: an event may have crossed the announcement
            for connection in self.connections:
                if not connection.calls and not connection.bodies:
                    connection.writer.close()  # after its last write the connection removes itself
            if not self.connections:
                return


def listen(path):
    """Binds the socket. Replaces the file of a dead process, but not one in use."""
    with contextlib.suppress(FileNotFoundError), socket.socket(socket.AF_UNIX) as probe:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            sys.exit(f"{NAME}: {path} is not a socket")
        probe.settimeout(1)
        try:
            probe.connect(path)
            sys.exit(f"{NAME}: {path} is in use")
        except ConnectionRefusedError:
            os.unlink(path)
    listener, mask = socket.socket(socket.AF_UNIX), os.umask(0o117)  # mode 0660 from the start
    try:
        listener.bind(path)
    finally:
        os.umask(mask)
    return listener


async def main():
    path = os.environ.get("AGENT_SOCKET") or "/tmp/word-filter.sock"
    agent, stop = Agent(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = await asyncio.start_unix_server(lambda *streams: Connection(agent, *streams).serve(), sock=listen(path))
    log(f"listening on {path}")
    await stop.wait()
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # before the close, so that this never removes a new socket of another process
    server.close()
    await agent.drain()


if __name__ == "__main__":
    asyncio.run(main())
