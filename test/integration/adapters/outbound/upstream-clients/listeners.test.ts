import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { describe, expect } from 'vitest';
import type {
  TargetClient,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../../../src/application/ports/gateway/upstream-client.js';
import { bodyOctets } from '../../../../support/gateway/scripted-body.js';
import { listeningClient, plainUpstreamRequest } from '../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';

const get: UpstreamRequest = { ...plainUpstreamRequest, method: 'GET' };

/** What is written to answer. */
interface Answering {
  write(piece: string): unknown;
  end(piece?: string): unknown;
}

/** By path: all at once, in pieces that come at once, with a pause behind the head, or nothing at all. */
const answer = (path: string | undefined, answering: Answering): void => {
  if (path === '/never') return;
  if (path === '/late') answering.write('');
  if (path === '/pieces') answering.write('it is ');
  if (path === '/late') setTimeout(() => answering.end('it is fine'), 20);
  else answering.end(path === '/pieces' ? 'fine' : 'it is fine');
};

const portOf = async (cleanUp: CleanUp, server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const startHttp1 = (cleanUp: CleanUp): Promise<number> =>
  portOf(
    cleanUp,
    createServer((request, response) => {
      if (request.url === '/length') response.setHeader('Content-Length', '10');
      answer(request.url, response);
      if (request.url === '/late') response.flushHeaders();
    }),
  );

const startHttp2 = (cleanUp: CleanUp): Promise<number> =>
  portOf(
    cleanUp,
    createHttp2Server().on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      if (headers[':path'] !== '/never') stream.respond({ ':status': 200 });
      answer(headers[':path'], stream);
    }),
  );

/** Remembers what it is told, in order. */
class RecordingListener implements UpstreamListener {
  readonly told: string[] = [];
  readonly #whenAnswered: (response: UpstreamResponse) => void;

  constructor(whenAnswered: (response: UpstreamResponse) => void = () => undefined) {
    this.#whenAnswered = whenAnswered;
  }

  informed(status: number): void {
    this.told.push(String(status));
  }

  answered(response: UpstreamResponse): void {
    this.told.push('answered');
    this.#whenAnswered(response);
  }

  failed({ code }: UpstreamFailure): void {
    this.told.push(code);
  }

  takeRetry(): boolean {
    return false;
  }
}

const textOf = async ({ body }: UpstreamResponse): Promise<string> => (await bodyOctets(body)).toString();

describe.each([
  ['HTTP/1.1', startHttp1, { httpVersion: '1.1' }],
  ['HTTP/2', startHttp2, { httpVersion: '2' }],
] as const)('the sender of a request (%s)', (_, start, changes) => {
  it.for(['/length', '/pieces', '/late'])(
    'may send the next one during the response notification: %s',
    async (path, { cleanUp }) => {
      const client = listeningClient(await start(cleanUp), cleanUp, { ...changes, maxConnections: 1 });
      const texts: Promise<string>[] = [];
      const listeners: RecordingListener[] = [];
      const isDone = new Promise<void>((resolve) => {
        const send = (): void => {
          const listener = new RecordingListener((response) => {
            texts.push(textOf(response));
            if (listeners.length < 20) send();
            else resolve();
          });
          listeners.push(listener);
          client.send({ ...get, target: path }, listener);
        };
        send();
      });
      await isDone;
      expect(new Set(await Promise.all(texts))).toEqual(new Set(['it is fine']));
      expect(listeners.map(({ told }) => told)).toEqual(Array.from({ length: 20 }, () => ['answered']));
      await expect.poll(() => client.figures().activeConnections).toBe(0);
    },
  );

  it('gets a failure after its cause returns', async ({ cleanUp }) => {
    const acts: [readonly string[], (client: TargetClient, cancel: () => void) => void][] = [
      [['cancelled'], (_client, cancel) => cancel()],
      // Where its connection stands before the grace is over, it is cut off.
      [['cancelled', 'unreachable'], (client) => void client.close(0)],
    ];
    for (const [codes, act] of acts) {
      const client = listeningClient(await start(cleanUp), cleanUp, changes);
      const listener = new RecordingListener();
      const exchange = client.send({ ...get, target: '/never' }, listener);
      act(client, () => exchange.cancel());
      expect(listener.told).toEqual([]);
      await expect.poll(() => listener.told).toHaveLength(1);
      expect(codes).toContain(listener.told[0]);
    }
  });

  it('gets it too while waiting for a removed target', async ({ cleanUp }) => {
    const client = listeningClient(await start(cleanUp), cleanUp, { ...changes, maxConnections: 1 });
    const listeners = Array.from({ length: 3 }, () => new RecordingListener());
    if (changes.httpVersion === '2') for (const listener of listeners) client.send(get, listener);
    else for (const listener of listeners) client.send({ ...get, target: '/never' }, listener);
    client.evictQueued();
    expect(listeners.map(({ told }) => told)).toEqual([[], [], []]);
    await expect.poll(() => listeners.at(-1)?.told).toEqual(['overloaded']);
  });

  it('gets it after the send call if sending is impossible', async ({ cleanUp }) => {
    const client = listeningClient(await start(cleanUp), cleanUp, changes);
    await client.close(0);
    const listener = new RecordingListener();
    client.send(get, listener);
    expect(listener.told).toEqual([]);
    await expect.poll(() => listener.told).toEqual(['overloaded']);
  });

  it('gets no further notification after cancelling within one', async ({ cleanUp }) => {
    const client = listeningClient(await start(cleanUp), cleanUp, changes);
    const sent: UpstreamExchange[] = [];
    const listener = new RecordingListener(() => sent[0]?.cancel());
    sent.push(client.send({ ...get, target: '/late' }, listener));
    await expect.poll(() => listener.told).toEqual(['answered']);
    await expect.poll(() => client.figures().activeConnections).toBe(0);
    await client.close(0);
    expect(listener.told).toEqual(['answered']);
  });
});
