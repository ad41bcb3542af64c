import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Client, Metadata, type ServerDuplexStream, type ServerWritableStream, status } from '@grpc/grpc-js';
import { describe, expect } from 'vitest';
import type { UpstreamConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { callMethods, grpcClient, startGrpcServer } from '../../support/shared/grpc-calls.js';

const readMs = 60;
/** Longer than any test waits. */
const longMs = 20_000;

interface TimeOuts {
  readonly upstream: UpstreamConfiguration['timeouts'];
  /** The route's; null: the upstream's hold. */
  readonly requestTimeoutMs?: number | null;
  readonly readTimeoutMs?: number | null;
}

const startWith = async (
  cleanUp: CleanUp,
  port: number,
  { upstream: timeouts, requestTimeoutMs = null, readTimeoutMs = null }: TimeOuts,
  changes: Partial<UpstreamConfiguration> = {},
): Promise<InProcessGateway> => {
  const policies = { ...plainPolicies, requestTimeoutMs, readTimeoutMs };
  const plain = testConfiguration([testUpstream(port, { timeouts, ...changes })], {
    routes: [testRoute({ policies })],
  });
  const listeners = plain.listeners.map((listener) => ({ ...listener, http2: changes.httpVersion === '2' }));
  const gateway = await startInProcess({ ...plain, listeners });
  cleanUp.add(() => gateway.stop());
  return gateway;
};

/** Whose head is due after `requestMs`, of the route or else of the upstream. */
const headTimeOuts: readonly (readonly [string, TimeOuts])[] = [
  ['of the upstream', { upstream: { connectMs: longMs, readMs: longMs, requestMs: 200 } }],
  [
    'of the route, longer than that of the upstream',
    { upstream: { connectMs: longMs, readMs: longMs, requestMs: 1 }, requestTimeoutMs: 200 },
  ],
  [
    'of the route, shorter than that of the upstream',
    { upstream: { connectMs: longMs, readMs: longMs, requestMs: longMs }, requestTimeoutMs: 200 },
  ],
];

describe('an upgrade', () => {
  /** An upstream that gives the test its connections once a request has come. */
  const startRaw = async (cleanUp: CleanUp) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => sockets.push(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, sockets };
  };
  const ask = (cleanUp: CleanUp, gateway: InProcessGateway): Socket => {
    const client = connect(gateway.address).on('error', () => undefined);
    cleanUp.add(() => void client.destroy());
    client.write(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    return client;
  };
  const switching =
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
    'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';

  it.for(headTimeOuts)('without a response gets 504 after request-secs %s', async ([_, timeouts], { cleanUp }) => {
    const { port } = await startRaw(cleanUp);
    const client = ask(cleanUp, await startWith(cleanUp, port, timeouts));
    const [answer] = await once(client, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 504 /);
    expect(String(answer)).toContain('upstream_timeout');
  });

  it('may take longer than read-secs to be answered, and then be silent for longer', async ({ cleanUp }) => {
    const { port, sockets } = await startRaw(cleanUp);
    const timeouts = { upstream: { connectMs: longMs, readMs, requestMs: longMs } };
    const gateway = await startWith(cleanUp, port, timeouts);
    const client = ask(cleanUp, gateway);
    await expect.poll(() => sockets.length).toBe(1);
    /** Another request takes `read-secs` several times. */
    const pass = async (): Promise<void> => {
      const other = await startWith(cleanUp, port, { upstream: { connectMs: longMs, readMs, requestMs: 4 * readMs } });
      expect((await fetch(other.url)).status).toBe(504);
    };
    await pass();
    sockets[0]?.write(switching);
    expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
    await pass();
    sockets[0]?.write('late');
    expect(String((await once(client, 'data'))[0])).toBe('late');
    client.write('back');
    expect(String((await once(sockets[0] as Socket, 'data'))[0])).toBe('back');
  });
});

describe('a gRPC call', () => {
  type Duplex = ServerDuplexStream<Buffer, Buffer>;
  type Writer = ServerWritableStream<Buffer, Buffer>;

  /** What has come of a call: its messages, and its status once it has ended. */
  const calling = (client: Client) => {
    const { path, requestSerialize, responseDeserialize } = callMethods.serverStream;
    const call = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      Buffer.from('go'),
      new Metadata(),
    );
    return recorded(call);
  };
  const recorded = (call: ReturnType<Client['makeServerStreamRequest']>) => {
    const state: { messages: string[]; code: number | null } = { messages: [], code: null };
    call.on('data', (message: Buffer) => state.messages.push(message.toString()));
    call.on('error', () => undefined);
    call.on('status', ({ code }) => {
      state.code = code;
    });
    return state;
  };
  const http2 = { httpVersion: '2' } as const;

  it.for(headTimeOuts)(
    'without response headers gets DEADLINE_EXCEEDED after request-secs %s',
    async ([_, timeouts], { cleanUp }) => {
      const port = await startGrpcServer(cleanUp, { serverStream: () => undefined });
      const gateway = await startWith(cleanUp, port, timeouts, http2);
      const call = calling(grpcClient(cleanUp, gateway.address.port));
      await expect.poll(() => call.code).toBe(status.DEADLINE_EXCEEDED);
      expect(gateway.accessRecords.at(-1)).toMatchObject({ errorType: 'upstream_timeout' });
    },
  );

  it('may take longer than read-secs for its headers, and ends after that silence behind them', async ({ cleanUp }) => {
    const calls: Writer[] = [];
    const port = await startGrpcServer(cleanUp, { serverStream: (call: Writer) => void calls.push(call) });
    const timeouts = { upstream: { connectMs: longMs, readMs, requestMs: longMs } };
    const gateway = await startWith(cleanUp, port, timeouts, http2);
    const call = calling(grpcClient(cleanUp, gateway.address.port));
    const other = await startWith(
      cleanUp,
      port,
      { upstream: { connectMs: longMs, readMs, requestMs: 4 * readMs } },
      http2,
    );
    const late = calling(grpcClient(cleanUp, other.address.port));
    await expect.poll(() => late.code).toBe(status.DEADLINE_EXCEEDED);
    expect(call.code).toBeNull();
    calls[0]?.write(Buffer.from('first'));
    await expect.poll(() => call.messages).toEqual(['first']);
    // The headers went out as 200, so the stream is reset.
    await expect.poll(() => call.code).not.toBeNull();
    expect(call.code).not.toBe(status.OK);
  });

  it('has the read-secs of its route', async ({ cleanUp }) => {
    const calls: Writer[] = [];
    const port = await startGrpcServer(cleanUp, {
      serverStream: (call: Writer) => {
        calls.push(call);
        call.write(Buffer.from('first'));
      },
    });
    const upstream = { connectMs: longMs, readMs: longMs, requestMs: longMs };
    const patient = await startWith(cleanUp, port, { upstream }, http2);
    const hasty = await startWith(cleanUp, port, { upstream, readTimeoutMs: readMs }, http2);
    const kept = calling(grpcClient(cleanUp, patient.address.port));
    await expect.poll(() => kept.messages).toEqual(['first']);
    const cut = calling(grpcClient(cleanUp, hasty.address.port));
    await expect.poll(() => cut.code).not.toBeNull();
    expect([cut.messages, kept.code]).toEqual([['first'], null]);
    for (const call of calls) call.end();
    await expect.poll(() => kept.code).toBe(status.OK);
  });

  it('is not cut for silence while its client may still send', async ({ cleanUp }) => {
    const port = await startGrpcServer(cleanUp, {
      bidi: (call: Duplex) => {
        call.write(Buffer.from('first'));
        call.on('data', (message: Buffer) => call.write(message));
        call.on('end', () => call.end());
      },
    });
    const upstream = { connectMs: longMs, readMs, requestMs: longMs };
    const gateway = await startWith(cleanUp, port, { upstream }, http2);
    const { path, requestSerialize, responseDeserialize } = callMethods.bidi;
    const client = grpcClient(cleanUp, gateway.address.port);
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
    const state = recorded(call);
    call.write(Buffer.from('one'));
    await expect.poll(() => state.messages).toEqual(['first', 'one']);
    const silent = await startGrpcServer(cleanUp, { serverStream: () => undefined });
    const other = await startWith(cleanUp, silent, { upstream: { ...upstream, requestMs: 4 * readMs } }, http2);
    const late = calling(grpcClient(cleanUp, other.address.port));
    await expect.poll(() => late.code).toBe(status.DEADLINE_EXCEEDED);
    call.write(Buffer.from('two'));
    await expect.poll(() => state.messages).toEqual(['first', 'one', 'two']);
    call.end();
    await expect.poll(() => state.code).toBe(status.OK);
  });
});
