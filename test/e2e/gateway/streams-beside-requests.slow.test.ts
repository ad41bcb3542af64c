import { Agent, get, type ServerResponse } from 'node:http';
import { Metadata, type ServerWritableStream } from '@grpc/grpc-js';
import { expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { callMethods, grpcClient, startGrpcServer } from '../../support/shared/grpc-calls.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';
import { asAdmin, startWorkerStack, statsOf } from '../../support/shared/worker-stack.js';

const streamsOfKind = 100;
const clients = 64;
const requestsInPhase = 2_000;

/** A target of event streams (`/events`), echoing WebSockets, and small responses. */
const startTarget = async (cleanUp: CleanUp) => {
  const streams = new Set<ServerResponse>();
  const upstream = await startHttpUpstream((request, response) => {
    if (request.url !== '/events') {
      response.end('small');
      return;
    }
    streams.add(response);
    response.once('close', () => streams.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: first\n\n');
  });
  const sockets = new WebSocketServer({ server: upstream.server });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  cleanUp.add(async () => {
    for (const socket of sockets.clients) socket.terminate();
    await upstream.close();
  });
  return { port: upstream.port, streams, sockets: sockets.clients };
};

it('serves small requests of 64 clients beside 100 event streams and 100 WebSockets to one target', async ({
  cleanUp,
}) => {
  const target = await startTarget(cleanUp);
  const stack = await startWorkerStack(cleanUp, {
    routes: 'route "target" { priority 100; matches { path-prefix "/" }; upstream "target" }',
    // Fewer slots than streams, and no queue: a stream that kept its slot would refuse a request.
    blocks: `upstreams { upstream "target" { target "127.0.0.1:${target.port}" } }
      limits { max-connections-per-client 1000; max-in-flight-requests 70; max-queued-requests 0 }`,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  cleanUp.add(() => agent.destroy());
  const load = new SteadyLoad('alone', clients, async () => (await stack.ask({ path: '/small', agent })).status, 0);
  cleanUp.add(() => load.stop());
  const finished = (phase: string): Promise<void> =>
    untilTrue(`requests finish: ${phase}`, () => load.statuses(phase).length >= requestsInPhase);
  await finished('alone');

  load.enter('opening');
  let events = 0;
  const messages: string[] = [];
  const endings: (() => void)[] = [];
  for (let index = 0; index < streamsOfKind; index += 1) {
    await new Promise<void>((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port: stack.port, path: '/events', agent: false }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`event stream ${index}: ${response.statusCode}`));
        response.on('data', () => {
          events += 1;
          resolve();
        });
        response.on('error', () => undefined);
      });
      request.on('error', reject);
      endings.push(() => void request.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${stack.port}/socket`);
      socket.on('error', reject);
      socket.on('message', (data) => messages.push(data.toString()));
      socket.once('open', () => {
        endings.push(() => socket.terminate());
        socket.send(`first ${index}`, () => resolve());
      });
    });
  }
  cleanUp.add(() => {
    for (const end of endings) end();
  });
  load.enter('beside');
  await finished('beside');
  expect((await statsOf(stack)).requests_in_flight).toBeGreaterThanOrEqual(2 * streamsOfKind);
  stack.rewrite({
    routes: 'route "target" { priority 100; matches { path-prefix "/" }; upstream "target" }',
    blocks: `upstreams { upstream "target" { target "127.0.0.1:${target.port}" } }
      limits { max-connections-per-client 1000; max-in-flight-requests 71; max-queued-requests 0 }`,
  });
  expect((await asAdmin(stack, '/admin/reload', 'POST')).body).toContain('"reloaded":true');
  load.enter('reloaded');
  await finished('reloaded');
  // The streams work through all of it.
  for (const response of target.streams) response.write('data: second\n\n');
  for (const socket of target.sockets) socket.send('second');
  await untilTrue('every event comes', () => events === 2 * streamsOfKind);
  await untilTrue('every message comes', () => messages.length === 2 * streamsOfKind);

  load.enter('ending');
  for (const [index, end] of endings.entries()) if (index % 2 === 0) end();
  for (const response of target.streams) response.end();
  for (const socket of target.sockets) socket.terminate();
  load.enter('after');
  await finished('after');
  await load.stop();
  expect(new Set(load.all())).toEqual(new Set([200]));
  await untilTrue('nothing is in flight', async () => (await statsOf(stack)).requests_in_flight === 0);
});

it('a gRPC response returns its slot of all workers after ten seconds', async ({ cleanUp }) => {
  const slots = 4;
  const calls: ServerWritableStream<Buffer, Buffer>[] = [];
  const port = await startGrpcServer(cleanUp, {
    serverStream: (call: ServerWritableStream<Buffer, Buffer>) => {
      calls.push(call);
      call.write(Buffer.from('first'));
    },
  });
  const stack = await startWorkerStack(cleanUp, {
    listeners: { grpc: 'http2 #true' },
    routes: 'route "grpc" { priority 100; matches { path-prefix "/test.Calls" }; upstream "grpc" }',
    blocks: `upstreams { upstream "grpc" { http-version "2"; target "127.0.0.1:${port}" } }
      limits { max-in-flight-requests ${slots}; max-queued-requests 0 }`,
  });
  const { path, requestSerialize, responseDeserialize } = callMethods.serverStream;
  for (let index = 0; index < slots; index += 1) {
    const client = grpcClient(cleanUp, stack.portOf('grpc'));
    await new Promise<void>((resolve, reject) => {
      const call = client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        Buffer.from('go'),
        new Metadata(),
      );
      call.on('data', () => resolve());
      call.on('error', reject);
    });
  }
  expect((await stack.ask({ path: '/' })).status).toBe(503);
  await untilTrue('a slot is free', async () => (await stack.ask({ path: '/' })).status === 200);
  expect((await statsOf(stack)).requests_in_flight).toBe(slots);
  for (const call of calls) call.end();
  await untilTrue('nothing is in flight', async () => (await statsOf(stack)).requests_in_flight === 0);
});
