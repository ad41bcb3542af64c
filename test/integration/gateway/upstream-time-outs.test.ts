import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import type { TargetClientOptions } from '../../../src/application/ports/gateway/upstream-client.js';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { startHttp2Upstream } from '../../support/gateway/http2-upstream.js';
import {
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import {
  frame,
  frameFlags,
  frameTypes,
  headers,
  number32,
  settings,
  startRawHttp2Upstream,
} from '../../support/gateway/raw-http2-upstream.js';
import { bodyOctets, ScriptedBody } from '../../support/gateway/scripted-body.js';
import {
  type AskedRequest,
  plainUpstreamRequest as plain,
  targetClient,
} from '../../support/gateway/target-clients.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

type Version = TargetClientOptions['httpVersion'];

interface HeldUpstream {
  readonly port: number;
  /** Answers the request of a path; `/begun` it answers by itself, with a body that does not end. */
  answer(path: string): void;
}

const startHeld = async (cleanUp: CleanUp, version: Version): Promise<HeldUpstream> => {
  const answers = new Map<string, () => void>();
  const come = (path: string, begin: () => void, end: () => void): void => {
    answers.set(path, end);
    if (path.startsWith('/begun')) begin();
  };
  const answer = (path: string): void => answers.get(path)?.();
  if (version === '2') {
    const { port } = await startHttp2Upstream(cleanUp, (stream, { ':path': path }) => {
      stream.resume();
      const begin = (): void => {
        stream.respond({ ':status': 200 });
        stream.write('begun');
      };
      come(`${path}`, begin, () => stream.respond({ ':status': 200 }, { endStream: true }));
    });
    return { port, answer };
  }
  const upstream = await startHttpUpstream((request, response) => {
    request.resume();
    come(
      `${request.url}`,
      () => response.write('begun'),
      () => response.end(),
    );
  });
  cleanUp.add(() => upstream.close());
  return { port: upstream.port, answer };
};

const readMs = 60;
/** What has less time than this is over after a silence of `readMs`. */
const longer = { timeoutMs: 200, configuredTimeoutMs: 200 };

describe.each<Version>(['1.1', '2'])('an upstream of HTTP/%s', (httpVersion) => {
  const startWith = async (cleanUp: CleanUp) => {
    const upstream = await startHeld(cleanUp, httpVersion);
    const client = targetClient(upstream.port, cleanUp, { httpVersion, readMs });
    const send = (target: string, changes: Partial<AskedRequest> = {}) =>
      client.send({ ...plain, target, ...changes }).response;
    return { upstream, send };
  };

  it.for<[string, () => Partial<AskedRequest>]>([
    ['without a body', () => ({})],
    ['with a body in one piece', () => ({ body: new ScriptedBody(['one'], 3), headers: ['Content-Length', '3'] })],
    ['with a body in pieces', () => ({ body: new ScriptedBody(['one', 'two']) })],
  ])('may be silent up to the head timeout for a request %s', async ([_, changes], { cleanUp }) => {
    const { upstream, send } = await startWith(cleanUp);
    const asked = send('/asked', changes());
    const late = await send('/late', { ...longer, ...changes() });
    expect(late).toMatchObject({ error: { code: 'timed_out', detail: 'no answer within 200 ms' } });
    upstream.answer('/asked');
    expect(await asked).toMatchObject({ ok: true, value: { status: 200 } });
  });

  it('times out if silent after its head', async ({ cleanUp }) => {
    const { send } = await startWith(cleanUp);
    const outcome = await send('/begun', longer);
    if (!outcome.ok) throw new Error(outcome.error.detail);
    await expect(bodyOctets(outcome.value.body)).rejects.toMatchObject({ code: 'timed_out' });
  });

  it('may be silent as long as the request allows', async ({ cleanUp }) => {
    const { send } = await startWith(cleanUp);
    const [patient, other] = await Promise.all([send('/begun', { readMs: 5_000 }), send('/begun-2')]);
    if (!patient.ok || !other.ok) throw new Error('no answer');
    const states: string[] = [];
    bodyOctets(patient.value.body).then(
      () => states.push('ended'),
      () => states.push('broken'),
    );
    await expect(bodyOctets(other.value.body)).rejects.toMatchObject({ code: 'timed_out' });
    expect(states).toEqual([]);
    patient.value.body?.cancel();
  });
});

it('a route timeout overrides the silence limit of its upstream for the head', async ({ cleanUp }) => {
  const upstream = await startHeld(cleanUp, '1.1');
  const timeouts = { connectMs: 1_000, readMs, requestMs: 5_000 };
  const route = (path: string, requestTimeoutMs: number) =>
    testRoute({
      id: path,
      matches: { ...testRoute().matches, pathPrefixes: [path] },
      policies: { ...plainPolicies, requestTimeoutMs },
    });
  const configuration = testConfiguration([testUpstream(upstream.port, { timeouts })], {
    routes: [route('/asked', 10_000), route('/late', 200)],
  });
  const gateway = await startInProcess(configuration);
  cleanUp.add(() => gateway.stop());
  const asked = fetch(new URL('/asked', gateway.url));
  expect((await fetch(new URL('/late', gateway.url))).status).toBe(504);
  upstream.answer('/asked');
  expect((await asked).status).toBe(200);
});

it('a route may set another silence limit than its upstream', async ({ cleanUp }) => {
  const upstream = await startHeld(cleanUp, '1.1');
  const timeouts = { connectMs: 1_000, readMs: 60_000, requestMs: 5_000 };
  const policies = { ...plainPolicies, readTimeoutMs: readMs };
  const configuration = testConfiguration([testUpstream(upstream.port, { timeouts })], {
    routes: [testRoute({ policies })],
  });
  const gateway = await startInProcess(configuration);
  cleanUp.add(() => gateway.stop());
  const response = await fetch(new URL('/begun', gateway.url));
  await expect(response.text()).rejects.toThrow();
});

/** More than two systems hold for a connection. */
const large = 32_000_000;
const uploads: readonly [string, () => Partial<AskedRequest>][] = [
  [
    'in one piece',
    () => ({
      body: new ScriptedBody([Buffer.alloc(large)], large),
      headers: ['Host', 'a', 'Content-Length', `${large}`],
    }),
  ],
  ['in pieces', () => ({ body: new ScriptedBody([Buffer.alloc(10), Buffer.alloc(large)]), headers: ['Host', 'a'] })],
];

describe.each(uploads)('a request body %s', (_, changes) => {
  /** An upstream that reads its first connection only when it is told to, and no other one at all. */
  const startReader = async (cleanUp: CleanUp) => {
    const sockets: Socket[] = [];
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return { port: (server.address() as AddressInfo).port, sockets };
  };

  it('continues while the upstream reads, and then gets the full response timeout', async ({ cleanUp }) => {
    const { port, sockets } = await startReader(cleanUp);
    const client = targetClient(port, cleanUp, { readMs: 1_000 });
    // It is over long before the body is.
    const upload = client.send({ ...plain, ...changes(), timeoutMs: 900, configuredTimeoutMs: 900 }).response;
    await expect.poll(() => sockets.length).toBe(1);
    const [socket] = sockets;
    let received = 0;
    socket?.on('data', (octets) => {
      received += octets.length;
      if (received % 500_000 < octets.length) socket.pause();
      if (received >= large) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    for (let turn = 0; turn < 10; turn += 1) {
      socket?.resume();
      expect(await client.send({ ...plain, timeoutMs: 150, configuredTimeoutMs: 150 }).response).toMatchObject({
        ok: false,
      });
    }
    expect(received).toBeLessThan(large);
    socket?.removeAllListeners('pause').on('pause', () => socket.resume());
    socket?.resume();
    expect(await upload).toMatchObject({ ok: true, value: { status: 204 } });
  });

  it('that an upstream does not read times out, despite a long response timeout', async ({ cleanUp }) => {
    const { port } = await startReader(cleanUp);
    const client = targetClient(port, cleanUp, { readMs: 100 });
    expect(await client.send({ ...plain, ...changes() }).response).toMatchObject({
      error: { code: 'timed_out', neverSent: false, detail: 'nothing more of the request was taken within 100 ms' },
    });
  });
});

it('a stream continues while its upstream opens the window slowly', async ({ cleanUp }) => {
  const initialWindowSize = 4;
  let stream = 0;
  const upstream = await startRawHttp2Upstream(
    cleanUp,
    ({ type, flags, stream: of }, peer) => {
      if (type === frameTypes.headers && stream === 0) stream = of;
      if (type === frameTypes.data && of === stream && (flags & frameFlags.endStream) !== 0)
        peer.write(headers(stream, [[':status', '204']], frameFlags.endHeaders + frameFlags.endStream));
    },
    (peer) => peer.write(settings([initialWindowSize, 0])),
  );
  const http2 = { httpVersion: '2' } as const;
  const client = targetClient(upstream.port, cleanUp, { ...http2, readMs: 1_000 });
  const body = new ScriptedBody([Buffer.alloc(60_000)]);
  const upload = client.send({ ...plain, body, timeoutMs: 900, configuredTimeoutMs: 900 }).response;
  await expect.poll(() => stream).toBeGreaterThan(0);
  const other = targetClient(upstream.port, cleanUp, http2);
  for (let turn = 0; turn < 10; turn += 1) {
    upstream.peers[0]?.write(frame(frameTypes.windowUpdate, 0, stream, number32(1_000)));
    expect(await other.send({ ...plain, timeoutMs: 150, configuredTimeoutMs: 150 }).response).toMatchObject({
      ok: false,
    });
  }
  upstream.peers[0]?.write(frame(frameTypes.windowUpdate, 0, stream, number32(60_000)));
  expect(await upload).toMatchObject({ ok: true, value: { status: 204 } });
});
