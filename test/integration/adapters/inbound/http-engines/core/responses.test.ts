import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { describe, expect } from 'vitest';
import { plainOrigin } from '../../../../../../src/adapters/inbound/http-engines/connections/client-connection.js';
import {
  Deadlines,
  ListenerTimers,
} from '../../../../../../src/adapters/inbound/http-engines/connections/deadlines.js';
import { ReadAheadBudget } from '../../../../../../src/adapters/inbound/http-engines/connections/read-ahead.js';
import { CoreSessions } from '../../../../../../src/adapters/inbound/http-engines/core/core-http-engine.js';
import { CorkedWrites } from '../../../../../../src/adapters/inbound/http-engines/core/corked-writes.js';
import { faultOf } from '../../../../../../src/adapters/wire/http1/head-fault.js';
import { readResponseHead, responseHead } from '../../../../../../src/adapters/wire/http1/read-head.js';
import { ResponseLines } from '../../../../../../src/adapters/wire/http1-responses/response-lines.js';
import { defaultEngineLimits } from '../../../../../../src/application/ports/gateway/http-engine.js';
import type { ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { CoreClient, coreClient, undated } from '../../../../../support/gateway/core-client.js';
import { plainTimeouts } from '../../../../../support/gateway/plain-configurations.js';
import { RecordingHandler } from '../../../../../support/gateway/recording-handler.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** What is known of a response's head once it was read. `text`: all of it, and nothing behind it. */
const receivedResponse = (text: string): ResponseLines => {
  const reading = readResponseHead(Buffer.from(text, 'latin1'), 0, text.length, text.length);
  if (reading !== text.length) throw new Error(`this is no head of a response: ${faultOf(reading)}`);
  return new ResponseLines(text, responseHead, reading);
};

const start = async (cleanUp: CleanUp, answer: (response: ClientResponse) => void) => {
  const recorded = await recordedListener(cleanUp, null);
  const ends: boolean[] = [];
  recorded.handler.handle = (_request, response) => {
    response.onClosed((completed) => ends.push(completed));
    answer(response);
  };
  return { ...recorded, ends, client: () => coreClient(cleanUp, recorded.listener) };
};

const octets = (text: string): Uint8Array => Buffer.from(text);
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const lastGet = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** What a client gets to a request, to the end of the connection. */
const answered = async (cleanUp: CleanUp, request: string, answer: (response: ClientResponse) => void) => {
  const { client, ends } = await start(cleanUp, answer);
  const asked = client().send(request);
  await asked.closed();
  return { text: undated(asked.text), ends, dates: asked.text.match(/Date: [^\r]*GMT\r\n/g)?.length ?? 0 };
};

const streamed = (response: ClientResponse): void => {
  response.begin(200, ['X-A', '1'], false);
  void response.write(octets('abc'));
  response.end(['X-T', '2']);
};

describe('a response', () => {
  it('without a length is chunked, with trailers and a date', async ({ cleanUp }) => {
    expect(await answered(cleanUp, lastGet, streamed)).toEqual({
      text: 'HTTP/1.1 200 OK\r\nX-A: 1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-T: 2\r\n\r\n',
      ends: [true],
      dates: 1,
    });
  });

  it('without a length closes the connection of an HTTP/1.0 client', async ({ cleanUp }) => {
    expect((await answered(cleanUp, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', streamed)).text).toBe(
      'HTTP/1.1 200 OK\r\nX-A: 1\r\nConnection: close\r\n\r\nabc',
    );
  });

  it('with a length keeps an HTTP/1.0 connection open on request', async ({ cleanUp }) => {
    const { text } = await answered(
      cleanUp,
      `GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${lastGet.replace('1.1', '1.0')}`,
      (response) => response.send(200, [], 'hi', false),
    );
    expect(text).toBe(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi' +
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi',
    );
  });

  it.for([
    ['HEAD', 200, 'Content-Length: 3\r\n', ['Content-Length', '3']],
    ['HEAD', 200, '', []],
    ['GET', 304, 'Content-Length: 3\r\n', ['Content-Length', '3']],
    ['GET', 204, '', []],
  ] as const)('to %s with %i has no body (%j)', async ([method, status, fields, headers], { cleanUp }) => {
    const { text } = await answered(cleanUp, lastGet.replace('GET', method), (response) => {
      response.begin(status, headers, false);
      void response.write(octets('abc'));
      response.end([]);
    });
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Za-z ]+\r\n${fields}Connection: close\r\n\r\n$`));
  });

  it.for([
    ['Content-Length', '3'],
    ['transfer-encoding', 'chunked'],
  ] as const)('of status 204 has no body fields (%s)', async ([name, value], { cleanUp }) => {
    const { text } = await answered(cleanUp, lastGet, (response) =>
      response.send(204, [name, value, 'A', 'b'], null, false),
    );
    expect(text).toBe('HTTP/1.1 204 No Content\r\nA: b\r\nConnection: close\r\n\r\n');
  });

  it('that becomes a tunnel has no body fields', async ({ cleanUp }) => {
    const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const { text } = await answered(cleanUp, upgrade, (response) => {
      response.upgrade(['Connection', 'Upgrade', 'Content-Length', '3', 'Transfer-Encoding', 'chunked']).end();
    });
    expect(text).toBe('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n');
  });

  it('is aborted if its trailers are invalid', async ({ cleanUp }) => {
    const { text, ends } = await answered(cleanUp, get, (response) => {
      response.begin(200, [], false);
      void response.write(octets('abc'));
      expect(() => response.end(['X-A', 'b\r\nX-B: c'])).toThrow('field value');
    });
    expect(text).not.toContain('0\r\n\r\n');
    expect(ends).toEqual([false]);
  });

  it.for<[string, string, readonly string[]]>([
    ['of its length', get, ['Content-Length', '5']],
    ['that is longer', get, ['Content-Length', '3']],
    ['in chunks', lastGet, []],
    ['to the end of the connection', 'GET / HTTP/1.0\r\n\r\n', []],
    ['that is not sent', lastGet.replace('GET', 'HEAD'), ['Content-Length', '5']],
  ])('has the same body from octets and text: %s', async ([_, request, headers], { cleanUp }) => {
    const sent: number[] = [];
    const answeredBy = async (write: (response: ClientResponse) => unknown) =>
      answered(cleanUp, request === get ? `${get}${lastGet}` : request, (response) => {
        response.begin(200, headers, false);
        void write(response);
        response.end([]);
        sent.push(response.bytesSent());
      });
    const octetsWritten = await answeredBy((response) => response.write(octets('hello')));
    const textWritten = await answeredBy((response) => response.writeText('hello'));
    expect(textWritten).toEqual(octetsWritten);
    expect(sent.slice(sent.length / 2)).toEqual(sent.slice(0, sent.length / 2));
  });

  it('of a received head keeps its lines and adds new ones', async ({ cleanUp }) => {
    const received = receivedResponse('HTTP/1.1 200 OK\r\nA: a\r\nB: b\r\n\r\n');
    const { text } = await answered(cleanUp, lastGet, (response) => {
      response.begin(204, ['B', 'b', 'C', 'c'], false, received);
      response.end([]);
    });
    expect(text).toBe('HTTP/1.1 204 No Content\r\nB: b\r\nC: c\r\nConnection: close\r\n\r\n');
  });

  it('that is forwarded keeps its lines except hop-by-hop fields, and adds new ones', async ({ cleanUp }) => {
    const head = 'HTTP/1.1 200 OK\r\nA: a\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 3\r\n';
    for (const date of ['', 'date: then\r\n']) {
      const { text, dates } = await answered(cleanUp, lastGet, (response) => {
        expect(response.passOn?.(201, receivedResponse(`${head}${date}\r\n`), ['C', 'c'], false)).toBe(true);
        void response.write(octets('abcd'));
        response.end([]);
      });
      expect(text).toBe(
        `HTTP/1.1 201 Created\r\nA: a\r\nContent-Length: 3\r\n${date}C: c\r\nConnection: close\r\n\r\nabc`,
      );
      expect(dates).toBe(date === '' ? 1 : 0);
    }
  });

  it('that is forwarded has only one Date', async ({ cleanUp }) => {
    const { text, dates } = await answered(cleanUp, lastGet, (response) => {
      expect(response.passOn?.(204, receivedResponse('HTTP/1.1 200 OK\r\nA: a\r\n\r\n'), ['date', 'then'], false)).toBe(
        true,
      );
      response.end([]);
    });
    expect(text).toBe('HTTP/1.1 204 No Content\r\nA: a\r\ndate: then\r\nConnection: close\r\n\r\n');
    expect(dates).toBe(0);
  });

  it.for<[string, number, string, readonly string[]]>([
    ['another framing', 200, 'Connection: close\r\nA: a\r\nTransfer-Encoding: chunked\r\n', []],
    ['what its Connection nominates', 200, 'Connection: close, b\r\nB: b\r\n', []],
    ['what looks like a length', 200, 'Connection: close\r\nA: a\r\nContent_Length: 4\r\n', []],
    ['a length that its status cannot have', 204, 'Content-Length: 4\r\n', []],
    ['lines that are written in another way', 200, 'A:a\r\n', []],
    ['an added length', 200, 'A: a\r\n', ['content-length', '3']],
    ['an added framing', 200, 'A: a\r\n', ['Transfer-Encoding', 'chunked']],
    ['an added connection', 200, 'A: a\r\n', ['Connection', 'close']],
  ])('is not forwarded raw with %s, and nothing is sent', async ([_, status, lines, added], { cleanUp }) => {
    const { text } = await answered(cleanUp, lastGet, (response) => {
      const received = receivedResponse(`HTTP/1.1 200 OK\r\n${lines}\r\n`);
      expect(response.passOn?.(status, received, added, false)).toBe(false);
      response.send(404, [], null, false);
    });
    expect(text).toBe('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });

  it('is cut at its declared length, and the connection ends', async ({ cleanUp }) => {
    const { text } = await answered(cleanUp, get, (response) => {
      response.begin(200, ['Content-Length', '4'], false);
      void response.write(octets('abc'));
      void response.write(octets('defghi'));
      void response.write(octets('jkl'));
      response.end([]);
    });
    expect(text).toBe('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd');
  });

  it('shorter than its declared length is not completed', async ({ cleanUp }) => {
    const { ends } = await answered(cleanUp, get, (response) => {
      response.begin(200, ['Content-Length', '4'], false);
      void response.write(octets('abc'));
      response.end([]);
    });
    expect(ends).toEqual([false]);
  });

  it('uses the framing of the engine despite other fields', async ({ cleanUp }) => {
    const { text } = await answered(cleanUp, lastGet, (response) => {
      response.begin(200, ['Content-Length', '3', 'content-length', '4', 'TRANSFER-ENCODING', 'gzip', 'A', 'b'], false);
      void response.write(octets('abc'));
      response.end([]);
    });
    expect(text).toBe(
      'HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    );
  });

  it('can be replaced if a field is invalid', async ({ cleanUp }) => {
    const { text } = await answered(cleanUp, lastGet, (response) => {
      expect(() => response.begin(200, ['X-A', 'b\r\nX-B: c'], false)).toThrow('field value');
      expect(response.headSent).toBe(false);
      response.send(500, [], 'fault', false);
    });
    expect(text).toMatch(/^HTTP\/1\.1 500 .*fault$/s);
  });

  it('encodes text as UTF-8', async ({ cleanUp }) => {
    const { text } = await answered(cleanUp, lastGet, (response) => response.send(200, [], 'grün', false));
    expect(text).toBe('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\ngr\xc3\xbcn');
  });

  it('keeps its own Date', async ({ cleanUp }) => {
    const date = 'Tue, 15 Nov 1994 08:12:31 GMT';
    const { client } = await start(cleanUp, (response) => response.send(200, ['date', date], '', true));
    const asked = client().send(get);
    await asked.closed();
    expect(asked.text.match(/date: .*/gi)).toEqual([`date: ${date}`]);
  });

  it('is visibly truncated when aborted, even if the connection end delimits it', async ({ cleanUp }) => {
    const begun: ClientResponse[] = [];
    const { client, ends } = await start(cleanUp, (response) => {
      response.begin(200, [], false);
      void response.write(octets('abc'));
      begun.push(response);
    });
    const chunked = client().send(get);
    await chunked.got('abc');
    begun[0]?.abort();
    await chunked.closed();
    expect(chunked.text).not.toContain('0\r\n\r\n');
    const delimited = client().send('GET / HTTP/1.0\r\n\r\n');
    await delimited.got('abc');
    begun[1]?.abort();
    await delimited.closed();
    expect(delimited.isReset).toBe(true);
    expect(ends).toEqual([false, false]);
  });
});

describe('a response write', () => {
  /** The calls of `write` on a socket that HTTP is spoken on. */
  const counted = async (
    cleanUp: CleanUp,
    answer: (response: ClientResponse) => void,
  ): Promise<{ writes: number; text: string }> => {
    const handler = new RecordingHandler();
    handler.handle = (_request, response) => answer(response);
    const patience = new ListenerTimers(defaultEngineLimits, plainTimeouts);
    const sessions = new CoreSessions({
      key: 'main',
      handler,
      limits: defaultEngineLimits,
      patience,
      budget: new ReadAheadBudget(),
      deadlines: new Deadlines(),
      writes: new CorkedWrites(),
    });
    let writes = 0;
    const server: Server = createServer((socket) => {
      const { _write: write, _writev: writev } = socket;
      socket._write = (...parameters) => {
        writes += 1;
        write.apply(socket, parameters);
      };
      socket._writev = (...parameters) => {
        writes += 1;
        writev?.apply(socket, parameters);
      };
      sessions.speak(socket, plainOrigin);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => new Promise((resolve) => server.close(resolve)));
    const client = new CoreClient(connect((server.address() as AddressInfo).port, '127.0.0.1'));
    client.send(lastGet);
    await client.closed();
    return { writes, text: client.text };
  };

  it.for<[string, (response: ClientResponse) => void]>([
    ['small, sent whole', (response) => response.send(200, [], 'a'.repeat(1_000), false)],
    [
      'small, of a known length',
      (response) => {
        response.begin(200, ['Content-Length', '1000'], false);
        void response.write(Buffer.alloc(1_000, 'a'));
        response.end([]);
      },
    ],
    [
      'small, in chunks',
      (response) => {
        response.begin(200, [], false);
        void response.write(Buffer.alloc(1_000, 'a'));
        response.end([]);
      },
    ],
    [
      'large, of a known length',
      (response) => {
        response.begin(200, ['Content-Length', '100000'], false);
        void response.write(Buffer.alloc(100_000, 'a'));
        response.end([]);
      },
    ],
    [
      'none',
      (response) => {
        response.begin(200, [], false);
        response.end([]);
      },
    ],
  ])('(%s) is one call of the system', async ([_, answer], { cleanUp }) => {
    const { writes, text } = await counted(cleanUp, answer);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(writes).toBe(1);
  });

  it('contains the given octets even if their memory is reused', async ({ cleanUp }) => {
    const { client } = await start(cleanUp, (response) => {
      response.begin(200, ['Content-Length', '2000'], false);
      void response.write(Buffer.alloc(1_000, 'a'));
      void response.write(Buffer.alloc(1_000, 'b'));
      response.end([]);
    });
    const asked = client();
    for (let request = 0; request < 100; request += 1) asked.send(request < 99 ? get : lastGet);
    await asked.closed();
    const bodies = asked.text.split(/HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*\r\n/).slice(1);
    expect(bodies).toHaveLength(100);
    expect(new Set(bodies)).toEqual(new Set(['a'.repeat(1_000) + 'b'.repeat(1_000)]));
  });
});
