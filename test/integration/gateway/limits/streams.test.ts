import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Metadata, type ServerWritableStream } from '@grpc/grpc-js';
import { describe, expect } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { NodeScheduler } from '../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { streamAgeMs } from '../../../../src/application/gateway/admit/stream-slots.js';
import type {
  GatewayConfiguration,
  LimitsConfiguration,
} from '../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { ClientConnection } from '../../../support/gateway/client-connection.js';
import { http2Session } from '../../../support/gateway/http2-session.js';
import {
  type InProcessGateway,
  type InProcessOptions,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../../support/gateway/in-process-gateway.js';
import { behindProxy, get } from '../../../support/gateway/limited-gateway.js';
import { plainLimits, plainPolicies } from '../../../support/gateway/plain-configurations.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';
import { callMethods, grpcClient, startGrpcServer } from '../../../support/shared/grpc-calls.js';

const upgrade = get(
  '/socket',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
);

interface Streams {
  readonly gateway: InProcessGateway;
  readonly configuration: ReturnType<typeof testConfiguration>;
  /** Open responses of the upstream. */
  readonly responses: Set<ServerResponse>;
  readonly sockets: Set<WebSocket>;
  client(): ClientConnection;
  status(path?: string): Promise<number>;
  /** Opens a stream; resolves when its response begins. */
  open(octets: string): Promise<Socket>;
}

/** A gateway before a target with event streams (`/events`), endless downloads (`/download`) and WebSockets. */
const startStreams = async (
  cleanUp: CleanUp,
  limits: Partial<LimitsConfiguration>,
  changes: Partial<GatewayConfiguration> = {},
): Promise<Streams> => {
  const responses = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === '/small') {
      response.writeHead(200, { 'content-length': 5 }).end('small');
      return;
    }
    const type = request.url === '/events' ? 'text/event-stream; charset=utf-8' : 'text/plain';
    response.writeHead(200, { 'content-type': type });
    responses.add(response);
    response.once('close', () => responses.delete(response));
    response.write('data: 1\n\n');
  });
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  const configuration = testConfiguration([testUpstream((server.address() as AddressInfo).port)], {
    limits: { ...plainLimits, maxQueuedRequests: 0, ...limits },
    ...changes,
  });
  const gateway = await startInProcess(configuration);
  cleanUp.add(() => gateway.stop());
  const client = (): ClientConnection => {
    const connection = new ClientConnection(gateway.address);
    cleanUp.add(() => connection.destroy());
    return connection;
  };
  const open = async (octets: string): Promise<Socket> => {
    const socket = connect(gateway.address).on('error', () => undefined);
    cleanUp.add(() => void socket.destroy());
    socket.write(octets);
    const [first] = await once(socket, 'data');
    if (!/^HTTP\/1.1 (?:200|101) /.test(String(first))) throw new Error(`it is no stream: ${first}`);
    return socket;
  };
  const status = async (path = '/small'): Promise<number> => (await client().ask(get(path))).status;
  return { gateway, configuration, responses, sockets: sockets.clients, client, status, open };
};

const inFlight = async ({ gateway }: Streams): Promise<number> => {
  const line = (await gateway.metrics()).split('\n').find((each) => each.startsWith('gateway_requests_in_flight'));
  return Number(line?.slice(line.lastIndexOf(' ')));
};

describe.each([
  ['an event stream', get('/events')],
  ['a WebSocket', upgrade],
])('%s', (_, octets) => {
  it.for(['maxInFlightRequests', 'maxInFlightRequestsPerWorker'] as const)(
    'leaves its slot of %s to others, and still counts as a request in flight',
    async (name, { cleanUp }) => {
      const streams = await startStreams(cleanUp, { [name]: 1 });
      for (let count = 0; count < 3; count += 1) await streams.open(octets);
      expect(await streams.status()).toBe(200);
      expect(await inFlight(streams)).toBe(3);
      await streams.open(get('/download'));
      expect(await streams.status()).toBe(503);
    },
  );

  it('counts for max-connections-per-route', async ({ cleanUp }) => {
    const streams = await startStreams(cleanUp, { maxConnectionsPerRoute: 2 });
    await streams.open(octets);
    await streams.open(octets);
    expect(await streams.status()).toBe(503);
  });

  it('releases everything once, when its client or its upstream ends it or a drain cuts it', async ({ cleanUp }) => {
    const streams = await startStreams(cleanUp, { maxInFlightRequests: 2, maxConnectionsPerRoute: 3 });
    const { gateway, responses, sockets } = streams;
    const clients = [await streams.open(octets), await streams.open(octets)];
    expect((await gateway.reload(streams.configuration)).ok).toBe(true);
    await streams.open(octets);
    clients[0]?.destroy();
    for (const response of responses) response.end();
    for (const socket of sockets) socket.terminate();
    await eventually(() => gateway.state.requestsInFlight() === 0);
    await streams.open(get('/download'));
    await streams.open(get('/download'));
    expect(await streams.status()).toBe(503);
    await streams.gateway.stop();
    expect(gateway.state.requestsInFlight()).toBe(0);
  });

  it('above max-total-connections keeps its slot', async ({ cleanUp }) => {
    const streams = await startStreams(cleanUp, { maxInFlightRequests: 1, maxTotalConnections: 4 });
    await streams.open(octets);
    await streams.open(octets);
    // A reload lowers the limit below what is open; open streams stay.
    const { configuration, gateway } = streams;
    const idle = streams.client();
    expect((await idle.ask(get('/small'))).status).toBe(200);
    const kept = streams.client();
    expect((await kept.ask(get('/small'))).status).toBe(200);
    const lower = { ...configuration.limits, maxTotalConnections: 2 };
    expect((await gateway.reload({ ...configuration, limits: lower })).ok).toBe(true);
    kept.send(octets);
    await eventually(() => streams.responses.size + streams.sockets.size === 3);
    expect((await idle.ask(get('/small'))).status).toBe(503);
  });
});

it('an event stream on a route that buffers responses leaves its slot too', async ({ cleanUp }) => {
  const routes = [testRoute({ policies: { ...plainPolicies, bufferResponses: true } })];
  const streams = await startStreams(cleanUp, { maxInFlightRequests: 1 }, { routes });
  await streams.open(get('/events'));
  expect(await streams.status()).toBe(200);
});

it('event streams over one HTTP/2 connection leave their slots', async ({ cleanUp }) => {
  const listeners = testConfiguration([]).listeners.map((listener) => ({ ...listener, http2: true }));
  const streams = await startStreams(cleanUp, { maxInFlightRequests: 1, maxTotalConnections: 5 }, { listeners });
  const session = http2Session(cleanUp, streams.gateway.url);
  for (let count = 0; count < 5; count += 1) await once(session.request({ ':path': '/events' }), 'data');
  expect(await streams.status()).toBe(200);
  // One more than max-total-connections keeps its slot.
  await once(session.request({ ':path': '/events' }), 'data');
  expect(await streams.status()).toBe(503);
  session.destroy();
  await eventually(() => streams.gateway.state.requestsInFlight() === 0);
  await streams.open(get('/events'));
  expect(await streams.status()).toBe(200);
});

it('a stream counts for the client that a trusted proxy names', async ({ cleanUp }) => {
  const streams = await startStreams(cleanUp, { maxConnectionsPerClient: 1 }, behindProxy);
  const of = (client: string, path: string): string => get(path, `X-Forwarded-For: ${client}`);
  const stream = await streams.open(of('192.0.2.1', '/events'));
  expect((await streams.client().ask(of('192.0.2.1', '/small'))).status).toBe(503);
  expect((await streams.client().ask(of('192.0.2.2', '/small'))).status).toBe(200);
  stream.destroy();
  await eventually(() => streams.gateway.state.requestsInFlight() === 0);
  expect((await streams.client().ask(of('192.0.2.1', '/small'))).status).toBe(200);
});

/** Waits a fiftieth of the age of streams. */
class HastyScheduler extends NodeScheduler {
  override after(delayMs: number, task: () => void) {
    return super.after(delayMs === streamAgeMs ? streamAgeMs / 50 : delayMs, task);
  }
}

describe('a gRPC response', () => {
  const startGrpc = async (cleanUp: CleanUp, options: InProcessOptions) => {
    const calls: ServerWritableStream<Buffer, Buffer>[] = [];
    const port = await startGrpcServer(cleanUp, {
      serverStream: (call: ServerWritableStream<Buffer, Buffer>) => {
        calls.push(call);
        call.write(Buffer.from('first'));
      },
    });
    const plain = testConfiguration([testUpstream(port, { httpVersion: '2' })], {
      limits: { ...plainLimits, maxInFlightRequests: 1, maxQueuedRequests: 0 },
    });
    const listeners = plain.listeners.map((listener) => ({ ...listener, http2: true }));
    const gateway = await startInProcess({ ...plain, listeners }, options);
    cleanUp.add(() => gateway.stop());
    const client = grpcClient(cleanUp, gateway.address.port);
    const { path, requestSerialize, responseDeserialize } = callMethods.serverStream;
    /** Calls, and gives the first message or the error. */
    const begin = (): Promise<string> =>
      new Promise((resolve) => {
        const call = client.makeServerStreamRequest(
          path,
          requestSerialize,
          responseDeserialize,
          Buffer.from('go'),
          new Metadata(),
        );
        call.on('data', (message: Buffer) => resolve(message.toString()));
        call.on('error', (error) => resolve(error.message));
      });
    return { gateway, begin, calls };
  };

  it('leaves its slot once it has run for 10 s', async ({ cleanUp }) => {
    const { gateway, begin, calls } = await startGrpc(cleanUp, { scheduler: new HastyScheduler() });
    expect(await begin()).toBe('first');
    await expect.poll(begin).toBe('first');
    expect(gateway.state.requestsInFlight()).toBe(2);
    for (const call of calls) call.end();
    await eventually(() => gateway.state.requestsInFlight() === 0);
    expect(await begin()).toBe('first');
  });

  it('keeps its slot before', async ({ cleanUp }) => {
    const { begin } = await startGrpc(cleanUp, {});
    expect(await begin()).toBe('first');
    expect(await begin()).toContain('UNAVAILABLE');
  });
});
