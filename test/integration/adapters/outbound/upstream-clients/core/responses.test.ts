import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type {
  UpstreamRequest,
  UpstreamResponse,
} from '../../../../../../src/application/ports/gateway/upstream-client.js';
import { type RawAnswer, startRawUpstream } from '../../../../../support/gateway/raw-upstream.js';
import { bodyOctets, ScriptedBody } from '../../../../../support/gateway/scripted-body.js';
import { plainUpstreamRequest, targetClient } from '../../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';

const get: UpstreamRequest = { ...plainUpstreamRequest, method: 'GET' };

const startWith = async (cleanUp: CleanUp, answer: RawAnswer, changes: Parameters<typeof targetClient>[2] = {}) => {
  const upstream = await startRawUpstream(answer);
  cleanUp.add(() => upstream.close());
  return { upstream, client: targetClient(upstream.port, cleanUp, changes) };
};

const responseTo = async (
  cleanUp: CleanUp,
  answer: RawAnswer,
  changes: Parameters<typeof targetClient>[2] = {},
): Promise<UpstreamResponse> => {
  const { client } = await startWith(cleanUp, answer, changes);
  const outcome = await client.send(get).response;
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.detail}`);
  return outcome.value;
};

const length = 'HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 11\r\n\r\nhello world';
const chunks =
  'HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 42\r\n\r\n';

describe('a response', () => {
  it.for([
    ['of a length', length],
    ['in chunks', chunks],
    ['behind interim ones', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: b\r\n\r\n${length}`],
  ] as const)('%s is the same octet by octet and at once', async ([_, text], { cleanUp }) => {
    const whole = await responseTo(cleanUp, (socket) => socket.write(text));
    const slow = await responseTo(cleanUp, (socket) => {
      socket.setNoDelay(true);
      void (async () => {
        for (const octet of text) {
          await new Promise((resolve) => socket.write(octet, resolve));
          await setImmediate();
        }
      })();
    });
    expect([slow.status, slow.headers]).toEqual([whole.status, whole.headers]);
    for (const { body } of [whole, slow]) expect((await bodyOctets(body)).toString()).toBe('hello world');
    expect(slow.body?.trailers()).toEqual(whole.body?.trailers());
  });

  it('that arrived completely is available at once', async ({ cleanUp }) => {
    const { body } = await responseTo(cleanUp, (socket) => socket.write(length));
    expect([body?.declaredLength, Buffer.from((body?.read() as Uint8Array) ?? []).toString(), body?.read()]).toEqual([
      11,
      'hello world',
      null,
    ]);
  });

  it('keeps its octets over later reads', async ({ cleanUp }) => {
    const { client } = await startWith(cleanUp, (socket, head) => {
      const letter = head.slice(5, 6);
      socket.write(`HTTP/1.1 200 OK\r\nX-Letter: ${letter}\r\nContent-Length: 900\r\n\r\n${letter.repeat(900)}`);
    });
    const letters = [...'abcdefghijklmnop'];
    const outcomes = await Promise.all(letters.map((letter) => client.send({ ...get, target: `/${letter}` }).response));
    for (const [index, outcome] of outcomes.entries()) {
      const letter = letters[index] as string;
      if (!outcome.ok) throw new Error(outcome.error.detail);
      expect(outcome.value.headers[1]).toBe(letter);
      expect((await bodyOctets(outcome.value.body)).toString()).toBe(letter.repeat(900));
    }
  });

  it('that pauses after its head is reported before its body', async ({ cleanUp }) => {
    let end: () => void = () => undefined;
    const response = await responseTo(cleanUp, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
      end = () => socket.write('ok');
    });
    expect(response.isBodyLate).toBe(true);
    end();
    expect((await bodyOctets(response.body)).toString()).toBe('ok');
  });

  it('may follow up to a hundred interim responses', async ({ cleanUp }) => {
    const interims = (count: number): string => 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(count);
    expect((await responseTo(cleanUp, (socket) => socket.write(interims(100) + length))).status).toBe(200);
    await expect(responseTo(cleanUp, (socket) => socket.write(interims(101) + length))).rejects.toThrow(
      /^invalid_response: .*interim/,
    );
  });

  it('has a head of up to 65536 octets', async ({ cleanUp }) => {
    const before = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: ';
    const head = (octets: number): string => `${before}${'a'.repeat(octets - before.length - 4)}\r\n\r\n`;
    expect((await responseTo(cleanUp, (socket) => socket.write(head(65_536)))).status).toBe(200);
    await expect(responseTo(cleanUp, (socket) => socket.write(head(65_537)))).rejects.toThrow('invalid_response');
    await expect(responseTo(cleanUp, (socket) => socket.write(`${before}${'a'.repeat(70_000)}`))).rejects.toThrow(
      'invalid_response',
    );
  });

  it('that is unread applies backpressure, and is complete once read', async ({ cleanUp }) => {
    const octets = 20_000_000;
    const content = Buffer.alloc(octets, 'abcdefg');
    let upstreamSocket: Socket | null = null;
    const { body } = await responseTo(cleanUp, (socket) => {
      upstreamSocket = socket;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${octets}\r\n\r\n`);
      socket.write(content);
    });
    const written = (): number => (upstreamSocket as Socket | null)?.bytesWritten ?? 0;
    const waiting = (): number => (upstreamSocket as Socket | null)?.writableLength ?? 0;
    // What the system holds for both sockets is far less than all of it.
    await setImmediate();
    expect([written() > 0, waiting() > 0]).toEqual([true, true]);
    expect((await bodyOctets(body)).equals(content)).toBe(true);
    expect(waiting()).toBe(0);
  });

  it('that is unread does not time out', async ({ cleanUp }) => {
    const content = Buffer.alloc(1_000_000, 'x');
    const { body } = await responseTo(
      cleanUp,
      (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n`);
        socket.write(content);
      },
      { readMs: 60 },
    );
    const late = await responseTo(cleanUp, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'), {
      readMs: 200,
    });
    // By the time that the silence of the other has lasted too long, that of this one has for longer.
    await expect(bodyOctets(late.body)).rejects.toMatchObject({ code: 'timed_out' });
    expect((await bodyOctets(body)).length).toBe(content.length);
  });
});

describe('a response before the end of its request', () => {
  const early = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n';

  it('does not time out while its upstream waits for the rest', async ({ cleanUp }) => {
    let end: (piece: null) => void = () => undefined;
    const pieces = [Buffer.from('first')];
    const body = {
      declaredLength: null,
      read: () =>
        pieces.shift() ??
        new Promise<null>((resolve) => {
          end = resolve;
        }),
      trailers: () => [],
      cancel: () => undefined,
    };
    const { client } = await startWith(
      cleanUp,
      (socket, _head, turn) => {
        if (turn > 0) return;
        socket.write(early);
        socket.on('data', (text: string) => {
          if (text.endsWith('0\r\n\r\n')) socket.write('0\r\n\r\n');
        });
      },
      { readMs: 100 },
    );
    const outcome = await client.send({ ...plainUpstreamRequest, body }).response;
    if (!outcome.ok) throw new Error(outcome.error.detail);
    // By the time that the silence of another one has lasted too long, that of this one has as well.
    const other = { ...get, timeoutMs: 300, configuredTimeoutMs: 300 };
    expect(await client.send(other).response).toMatchObject({ error: { code: 'timed_out' } });
    end(null);
    expect((await bodyOctets(outcome.value.body)).toString()).toBe('a');
  });

  it('times out if its upstream has the complete request, or reads none of it', async ({ cleanUp }) => {
    const { client } = await startWith(
      cleanUp,
      (socket) => {
        socket.write(early);
        socket.pause();
      },
      { readMs: 100 },
    );
    const endless = {
      declaredLength: null,
      read: () => Buffer.alloc(65_536),
      trailers: () => [],
      cancel: () => undefined,
    };
    for (const body of [new ScriptedBody(['a', 'b']), endless]) {
      const outcome = await client.send({ ...plainUpstreamRequest, body }).response;
      if (!outcome.ok) throw new Error(outcome.error.detail);
      await expect(bodyOctets(outcome.value.body)).rejects.toMatchObject({ code: 'timed_out' });
    }
  });
});

describe('a truncated response', () => {
  const ways: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['in order', (socket) => void socket.end()],
    ['by a reset', (socket) => void socket.resetAndDestroy()],
  ];

  it.for(
    ways.flatMap(([way, end]) => [[way, 'a length', length, end] as const, [way, 'chunks', chunks, end] as const]),
  )('%s, at any octet of one with %s, is never complete', async ([_way, _framing, text, end], { cleanUp }) => {
    const { client, upstream } = await startWith(cleanUp, (socket, head) => {
      const octets = Number(head.split(' ')[1]?.slice(1));
      socket.write(text.slice(0, octets), () => end(socket));
    });
    for (let octets = 0; octets < text.length; octets += 1) {
      const outcome = await client.send({ ...get, target: `/${octets}` }).response;
      if (outcome.ok) await expect(bodyOctets(outcome.value.body)).rejects.toMatchObject({ code: 'aborted' });
      else expect(outcome.error).toMatchObject({ code: 'unreachable', neverSent: false });
    }
    expect([upstream.connections(), client.figures().activeConnections]).toEqual([text.length, 0]);
  });

  it('with a clean close is complete if only the close delimits it', async ({ cleanUp }) => {
    const { body } = await responseTo(cleanUp, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'));
    expect([body?.declaredLength, (await bodyOctets(body)).toString()]).toEqual([null, 'hello']);
  });

  it('with a reset is broken even if only the close delimits it', async ({ cleanUp }) => {
    let reset: () => void = () => undefined;
    const { body } = await responseTo(cleanUp, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhello');
      reset = () => socket.resetAndDestroy();
    });
    expect(Buffer.from((await body?.read()) ?? []).toString()).toBe('hello');
    reset();
    await expect(bodyOctets(body)).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('an ambiguous response', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;

  it.for([
    ['repeated_content_length', `${head}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`],
    ['invalid_content_length', `${head}Content-Length: +2\r\n\r\nok`],
    ['length_and_coding', `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['unknown_transfer_coding', `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['closing_interim_response', `HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n${length}`],
    ['coding_without_content', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['obsolete_fold', `${head}X-A: b\r\n c\r\nContent-Length: 2\r\n\r\nok`],
    ['invalid_line_end', `${head}X-A: b\nContent-Length: 2\r\n\r\nok`],
    ['invalid_field_name', `${head}Content-Length : 2\r\n\r\nok`],
    ['invalid_field_value', `${head}X-A: b\0\r\nContent-Length: 2\r\n\r\nok`],
    ['invalid_version', `\r\n${head}Content-Length: 2\r\n\r\nok`],
    [
      'unasked_switch_of_protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
  ] as const)('is refused: %s', async ([fault, text], { cleanUp }) => {
    const { client, upstream } = await startWith(cleanUp, (socket) => socket.write(text));
    for (let turn = 1; turn <= 2; turn += 1) {
      const detail = expect.stringContaining(fault);
      expect(await client.send(get).response).toMatchObject({
        error: { code: 'invalid_response', neverSent: false, detail },
      });
      expect(upstream.connections()).toBe(turn);
    }
  });

  it.for([
    ['an extension that a bare LF ends', '2;a=b\nok\r\n0\r\n\r\n'],
    ['a size with a sign', '+2\r\nok\r\n0\r\n\r\n'],
    ['a size with 0x', '0x2\r\nok\r\n0\r\n\r\n'],
    ['a size behind a space', ' 2\r\nok\r\n0\r\n\r\n'],
    ['no size', '\r\nok\r\n0\r\n\r\n'],
    ['a size that overflows', 'fffffffffffffffff\r\nok\r\n0\r\n\r\n'],
    ['a bare LF behind its size', '2\nok\r\n0\r\n\r\n'],
    ['a chunk that is longer than its size', '2\r\noky\r\n0\r\n\r\n'],
    ['a bare LF behind a chunk', '2\r\nok\n0\r\n\r\n'],
    ['a trailer with a bare LF', '2\r\nok\r\n0\r\nX-A: b\n\r\n'],
    ['a trailer that is folded', '2\r\nok\r\n0\r\nX-A: b\r\n c\r\n\r\n'],
  ] as const)('with %s is not complete', async ([_, body], { cleanUp }) => {
    const { client, upstream } = await startWith(cleanUp, (socket) => socket.write(`${chunked}${body}`));
    for (let turn = 1; turn <= 2; turn += 1) {
      // It came with its head, of which nobody has heard.
      expect(await client.send(get).response).toMatchObject({ error: { code: 'invalid_response' } });
      expect([upstream.connections(), client.figures().idleConnections]).toEqual([turn, 0]);
    }
  });
});
