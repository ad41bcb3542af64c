import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { status as codes } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentGrpcServer } from '../../../../../src/adapters/inbound/agent-grpc/agent-grpc-server.js';
import { decided } from '../../../../support/agent-events.js';
import { eventually } from '../../../../support/eventually.js';
import { FakeAgentService } from '../../../../support/fake-agent-service.js';
import { grpcServer, localPort } from '../../../../support/grpc-server.js';
import { grpcHandshake, grpcHead, RawGrpcGateway } from '../../../../support/raw-grpc-gateway.js';
import { encoded, field, prefixed, type RawHttp2Call, RawHttp2Gateway } from '../../../../support/raw-http2-gateway.js';
import { RecordingLogger } from '../../../../support/recording-logger.js';

const mebibyte = 1_048_576;

/** A HEADERS frame that ends nothing, for a call of ProcessStream: every field a literal without an index (RFC 7541, 6.2.2). */
const headersFrame = (streamId: number): Buffer => {
  const literal = (name: string, value: string): Buffer =>
    Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
  const block = Buffer.concat([
    literal(':method', 'POST'),
    literal(':scheme', 'http'),
    literal(':authority', 'agent'),
    literal(':path', '/zentinel.agent.v2.AgentServiceV2/ProcessStream'),
    literal('content-type', 'application/grpc'),
  ]);
  const head = Buffer.alloc(9);
  head.writeUIntBE(block.length, 0, 3);
  head.writeUInt8(1, 3);
  head.writeUInt8(4, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, block]);
};
const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

describe('an AgentGrpcServer and a gateway that misbehaves', () => {
  let service: FakeAgentService;
  let logger: RecordingLogger;
  let server: AgentGrpcServer;
  let address: string;
  const gateways: RawHttp2Gateway[] = [];
  const sockets: Socket[] = [];

  beforeEach(() => {
    service = new FakeAgentService();
    logger = new RecordingLogger();
  });

  afterEach(async () => {
    for (const gateway of gateways.splice(0)) gateway.session.destroy();
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.drain(0);
  });

  const listen = async (options: Parameters<typeof grpcServer>[2] = {}): Promise<void> => {
    server = grpcServer(service, localPort, { drainLingerMs: 10, ...options }, logger);
    address = await server.listen();
  };

  const gateway = (): RawHttp2Gateway => {
    const connected = new RawHttp2Gateway(address);
    gateways.push(connected);
    return connected;
  };

  const greeted = async (from = gateway()): Promise<RawHttp2Call> => {
    const call = from.call('ProcessStream');
    call.write(prefixed(await encoded(grpcHandshake)));
    // The answer to the handshake, and the first health report.
    await call.answered(2);
    return call;
  };

  const plainSocket = (): Socket => {
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  };

  const closed = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      socket.on('close', () => resolve());
      socket.resume();
    });

  const head = Buffer.concat([field(1, field(1, 'a')), field(2, 'GET'), field(3, '/')]);

  it.each<readonly [string, Buffer]>([
    ['octets that are no message', prefixed(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))],
    ['a message that is cut off', prefixed(Buffer.concat([field(2, head).subarray(0, 10)]))],
    ['an empty message', prefixed(Buffer.alloc(0))],
    ['a message of a later version alone', prefixed(field(99, 'x'))],
    ['two messages in one', prefixed(Buffer.concat([field(2, head), field(11, '')]))],
    ['one message twice', prefixed(Buffer.concat([field(2, head), field(2, head)]))],
    ['a head without metadata', prefixed(field(2, field(2, 'GET')))],
    ['a head without an id', prefixed(field(2, Buffer.concat([field(1, ''), field(2, 'GET')])))],
    ['an id that is no UTF-8', prefixed(field(2, field(1, field(1, Buffer.from([0x61, 0xff])))))],
    [
      'a header value that is no UTF-8',
      prefixed(
        field(2, Buffer.concat([head, field(5, Buffer.concat([field(1, 'a'), field(2, Buffer.from([0xc0, 0xaf]))]))])),
      ),
    ],
    ['a compressed message', prefixed(field(2, head), 1)],
    ['a message with an unknown flag', prefixed(field(2, head), 2)],
    ['a message longer than any may be', prefixed(Buffer.alloc(0), 0, 16_777_217)],
    ['the longest length there is', prefixed(Buffer.alloc(0), 0, 0xffff_ffff)],
    ['too many fields', prefixed(field(2, Buffer.concat([head, Buffer.alloc(200_002, field(5, ''))])))],
    ['a second handshake', prefixed(field(1, Buffer.concat([Buffer.from([8, 2]), field(4, 'null')])))],
    ['a configuration that is no JSON', prefixed(field(10, field(1, '{"a":')))],
  ])('is cut off for %s, and nothing of it is judged', async (_, octets) => {
    await listen();
    const call = await greeted();
    call.write(octets);
    await call.closed();
    expect(call.status).toBe(String(codes.ABORTED));
    expect(service.events).toEqual([]);
    expect(logger.lines.filter(({ message }) => message === 'A gateway connection is closed')).toHaveLength(1);
    expect(server.connections).toBe(0);
  });

  it('is cut off where the call ends within a message', async () => {
    await listen();
    const call = await greeted();
    call.stream.end(prefixed(field(2, head)).subarray(0, 12));
    await call.closed();
    expect(call.status).toBe(String(codes.ABORTED));
    expect(service.events).toEqual([]);
  });

  it('is asked for its handshake first', async () => {
    await listen();
    const call = gateway().call('ProcessStream');
    call.write(prefixed(field(2, head)));
    expect((await call.closed()).statusMessage).toBe('a message before the handshake');
    expect(service.events).toEqual([]);
  });

  it('may not have two events in flight for one id', async () => {
    service.answer = () => new Promise(() => {});
    await listen();
    const call = await greeted();
    call.write(Buffer.concat([prefixed(field(2, head)), prefixed(field(2, head))]));
    expect((await call.closed()).statusMessage).toBe('two events in flight for one correlation id');
    expect(service.events).toHaveLength(1);
  });

  it.each([
    ['another method', { ':path': '/zentinel.agent.v2.AgentServiceV2/Other' }, 200, String(codes.UNIMPLEMENTED)],
    ['an encoding', { 'grpc-encoding': 'gzip' }, 200, String(codes.UNIMPLEMENTED)],
    ['another content type', { 'content-type': 'application/json' }, 415, null],
    ['a content type that only begins like gRPC', { 'content-type': 'application/grpcx' }, 415, null],
  ])('is refused for %s', async (_, headers, httpStatus, status) => {
    await listen();
    const call = gateway().call('ProcessStream', headers);
    call.write(prefixed(await encoded(grpcHandshake)));
    await call.closed();
    expect([call.httpStatus, call.status]).toEqual([httpStatus, status]);
    expect(service.configs).toEqual([]);
  });

  it('may send 10 000 headers, in pieces of whatever size, and gets its answer', async () => {
    await listen();
    const call = await greeted();
    const headers = Array.from({ length: 10_000 }, (_, index) => ({ name: `X-${index}`, value: 'v' }));
    const octets = prefixed(await encoded(grpcHead('a', { headers })));
    call.write(octets.subarray(0, 3));
    for (let offset = 3; offset < octets.length; offset += 9_973) call.write(octets.subarray(offset, offset + 9_973));
    await call.answered(3);
    const [event] = service.events;
    expect(event?.kind === 'request_headers' && event.headers.length).toBe(20_000);
  });

  it('is cut off where a message comes a few octets at a time, without end', async () => {
    await listen({ messageTimeoutMs: 100 });
    const call = await greeted();
    const octets = prefixed(field(2, Buffer.alloc(100_000)));
    let sent = 0;
    while (!call.isClosed && sent < octets.length) {
      call.write(octets.subarray(sent, sent + 10));
      sent += 10;
      await sleep(1);
    }
    expect(sent).toBeLessThan(octets.length);
    expect(call.statusMessage).toBe('a message did not come to its end in time');
  });

  it('holds no more of unfinished messages than allowed for all together: the largest is closed', async () => {
    await listen({ maxHeldBytes: 2 * mebibyte });
    const small = await greeted();
    const large = await greeted();
    small.write(prefixed(Buffer.alloc(100_000), 0, 4 * mebibyte));
    large.write(prefixed(Buffer.alloc(3 * mebibyte), 0, 4 * mebibyte));
    await large.closed();
    expect(small.isClosed).toBe(false);
  });

  it('holds no more of unfinished one-shot messages, either', async () => {
    await listen({ maxHeldBytes: 2 * mebibyte });
    const connected = gateway();
    const calls = Array.from({ length: 3 }, () => connected.call('ProcessEvent'));
    for (const call of calls) call.write(prefixed(Buffer.alloc(mebibyte), 0, 4 * mebibyte));
    await eventually(() => calls.some(({ isClosed }) => isClosed));
    expect(calls.find(({ isClosed }) => isClosed)?.status).toBe(String(codes.RESOURCE_EXHAUSTED));
    expect(calls.some(({ isClosed }) => !isClosed)).toBe(true);
  });

  it('is not waited for: neither for a handshake, nor for a one-shot message, nor for a first call', async () => {
    await listen({ handshakeTimeoutMs: 50 });
    const connected = gateway();
    const silent = connected.call('ProcessStream');
    const oneShot = connected.call('ProcessEvent');
    oneShot.write(prefixed(Buffer.alloc(10), 0, 100));
    expect((await silent.closed()).statusMessage).toBe('no handshake came in time');
    expect((await oneShot.closed()).status).toBe(String(codes.DEADLINE_EXCEEDED));
    await gateway().closed();
    await closed(plainSocket());
  });

  it('is closed when it has had no call for long', async () => {
    await listen({ idleTimeoutMs: 50 });
    const connected = gateway();
    const call = connected.call('ProcessEvent');
    call.write(prefixed(await encoded({ ping: { sequence: 1 } })));
    expect((await call.closed()).status).toBe(String(codes.OK));
    await connected.closed();
  });

  it('is closed when it answers no ping', async () => {
    await listen({ pingIntervalMs: 30 });
    const socket = plainSocket();
    socket.write(Buffer.concat([preface, headersFrame(1)]));
    await closed(socket);
    expect(logger.lines.some(({ fields }) => fields['reason'] === 'the gateway does not answer')).toBe(true);
    await eventually(() => server.connections === 0);
  });

  it('opens no more calls on a connection than allowed, though it never agreed to that', async () => {
    await listen({ maxStreamsPerConnection: 3 });
    const socket = plainSocket();
    socket.write(Buffer.concat([preface, ...Array.from({ length: 50 }, (_, index) => headersFrame(2 * index + 1))]));
    await eventually(() => server.connections === 3);
    // Whatever else it sends is answered after those calls.
    const answered = new Promise<void>((resolve) => {
      let octets = Buffer.alloc(0);
      socket.on('data', (chunk) => {
        octets = Buffer.concat([octets, chunk]);
        if (octets.includes('12345678')) resolve();
      });
    });
    socket.write(Buffer.concat([Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0]), Buffer.from('12345678')]));
    await answered;
    expect(server.connections).toBe(3);
  });

  it('is told where there are too many calls, or too many connections', async () => {
    await listen({ maxSessions: 2, maxConnections: 2 });
    const connected = gateway();
    await greeted(connected);
    await greeted(connected);
    expect((await connected.call('ProcessStream').closed()).status).toBe(String(codes.RESOURCE_EXHAUSTED));
    const control = [1, 2, 3].map(() => connected.call('ControlStream'));
    expect((await (control[2] as RawHttp2Call).closed()).status).toBe(String(codes.RESOURCE_EXHAUSTED));
    const second = gateway();
    await eventually(() => !second.session.connecting);
    await gateway().closed();
    expect(logger.lines.filter(({ message }) => message === 'Connections are turned away')).toHaveLength(1);
  });

  it('is asked for nothing more while it does not read, and is cut off when it goes on', async () => {
    service.answer = () => decided({ kind: 'block', status: 403, body: 'x'.repeat(20_000), headers: [] });
    await listen({ pausingOutputBytes: 50_000, writeTimeoutMs: 100, healthIntervalMs: 20 });
    const call = await greeted();
    call.stream.pause();
    for (let index = 0; index < 1_000; index += 1) call.write(prefixed(await encoded(grpcHead(`id-${index}`))));
    await eventually(() => logger.lines.some(({ fields }) => fields['reason'] === 'the gateway does not read'));
    await eventually(() => server.connections === 0);
    // What fits into the windows, and what came with the same read.
    expect(service.events.length).toBeLessThan(500);
  });

  it('is cut off at once where more waits for it than ever may', async () => {
    service.answer = () => decided({ kind: 'block', status: 403, body: 'x'.repeat(300_000), headers: [] });
    await listen({ maxOutputBytes: 200_000 });
    const call = await greeted();
    call.stream.pause();
    call.write(prefixed(field(2, head)));
    await eventually(() => server.connections === 0);
    expect(logger.lines.some(({ fields }) => fields['reason'] === 'the gateway does not read')).toBe(true);
  });

  it('does not hold up the end of the agent by not reading', async () => {
    service.answer = () => decided({ kind: 'block', status: 403, body: 'x'.repeat(300_000), headers: [] });
    await listen();
    const call = await greeted();
    call.stream.pause();
    call.write(prefixed(field(2, head)));
    await service.received(1);
    await server.drain(50);
    expect(server.connections).toBe(0);
  });

  it('leaves nothing behind when it opens and cancels call after call', async () => {
    await listen();
    const connected = gateway();
    for (let round = 0; round < 20; round += 1) {
      const calls = Array.from({ length: 20 }, () => connected.call('ProcessStream'));
      await eventually(() => server.connections === calls.length);
      for (const call of calls) call.stream.close(8);
      await eventually(() => server.connections === 0);
    }
    expect(service.disconnects).toBe(400);
    expect((await greeted(connected)).isClosed).toBe(false);
  });

  it('gets a refusal where the agent throws', async () => {
    service.answer = () => {
      throw new Error('secret');
    };
    await listen();
    const connected = await RawGrpcGateway.connect(address);
    const stream = await connected.greeted();
    stream.send(grpcHead('a'));
    expect(await stream.received('response')).toMatchObject([{ correlation_id: 'a', block: { status: 500 } }]);
    expect(JSON.stringify([stream.messages, logger.lines])).not.toContain('secret');
    connected.close();
  });

  it('has its configurations taken in their order, however many it sends', async () => {
    await listen();
    const connected = await RawGrpcGateway.connect(address);
    const stream = await connected.greeted();
    for (let count = 0; count < 50; count += 1) stream.send({ configure: { config_json: `{"count":${count}}` } });
    stream.send({ ping: {} });
    await stream.received('pong');
    await eventually(() => service.configs.length === 51);
    expect(service.configs.slice(1)).toEqual(Array.from({ length: 50 }, (_, count) => ({ count })));
    connected.close();
  });
});
