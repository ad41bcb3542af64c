import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { status as codes } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentGrpcServer } from '../../../../../src/adapters/inbound/agent-grpc/agent-grpc-server.js';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { Deferred, FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { decided } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { grpcServer, localPort } from '../../../../support/shared/grpc-server.js';
import { grpcHandshake, grpcHead, RawGrpcGateway } from '../../../../support/shared/raw-grpc-gateway.js';
import {
  encoded,
  field,
  prefixed,
  type RawHttp2Call,
  RawHttp2Gateway,
} from '../../../../support/shared/raw-http2-gateway.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const mebibyte = 1_048_576;
const longId = 'x'.repeat(257);

/**
 * A HEADERS frame that ends nothing, for a call of ProcessStream: every field a literal without an index (RFC 7541,
 * 6.2.2).
 */
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
    for (const gateway of gateways.splice(0)) setImmediate(() => gateway.session.destroy());
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
    ['too many fields', prefixed(field(2, Buffer.concat([head, Buffer.alloc(40_002, field(5, ''))])))],
    ['a second handshake', prefixed(field(1, Buffer.concat([Buffer.from([8, 2]), field(4, 'null')])))],
    ['a head whose id is too long', prefixed(field(2, Buffer.concat([field(1, field(1, longId)), field(2, 'GET')])))],
    ...[3, 4, 5, 6, 7, 8, 9].map((kind): [string, Buffer] => [
      `a message of kind ${kind} whose id is too long`,
      prefixed(field(kind, field(1, longId))),
    ]),
    ['a configuration that is no JSON', prefixed(field(10, field(1, '{"a":')))],
  ])('is disconnected for %s without a decision', async (_, octets) => {
    await listen();
    const call = await greeted();
    call.write(octets);
    await call.closed();
    expect(call.status).toBe(String(codes.ABORTED));
    expect(service.events).toEqual([]);
    expect(logger.lines.filter(({ message }) => message === 'a gateway connection was closed')).toHaveLength(1);
    expect(server.connections).toBe(0);
  });

  it.each([
    ['head', field(2, Buffer.concat([field(1, field(1, longId)), field(2, 'GET'), field(3, '/')]))],
    ['frame of a WebSocket', field(6, field(1, longId))],
    ['cancel', field(9, field(1, longId))],
  ])('gets an error on ProcessEvent for a %s with a long id', async (_, octets) => {
    await listen({ maxStreamsPerConnection: 1 });
    const connected = gateway();
    for (let round = 0; round < 3; round += 1) {
      const refused = connected.call('ProcessEvent');
      refused.stream.end(prefixed(octets));
      expect((await refused.closed()).status).toBe(String(codes.INVALID_ARGUMENT));
    }
    expect(service.events).toEqual([]);
    const ping = connected.call('ProcessEvent');
    ping.stream.end(prefixed(await encoded({ ping: { sequence: 1 } })));
    expect((await ping.closed()).status).toBe(String(codes.OK));
  });

  it('may use an id of 256 characters', async () => {
    await listen();
    const call = await greeted();
    call.write(prefixed(field(2, Buffer.concat([field(1, field(1, longId.slice(1))), field(2, 'GET')]))));
    await service.received(1);
    expect(call.isClosed).toBe(false);
  });

  it.each([
    ['longer than any may be', 16_777_217],
    ['of the longest length there is', 0xffff_ffff],
  ])('is refused a message %s before it arrives', async (_, length) => {
    await listen();
    const call = await greeted();
    call.write(prefixed(Buffer.alloc(0), 0, length));
    await call.closed();
    expect(call.status).toBe(String(codes.RESOURCE_EXHAUSTED));
    expect(service.events).toEqual([]);
    await eventually(() => server.connections === 0);
  });

  it.each(['ProcessStream', 'ControlStream', 'ProcessEvent'])(
    'is refused compressed messages on %s before they are read',
    async (method) => {
      await listen();
      const connected = gateway();
      const refused = connected.call(method, { 'grpc-encoding': 'gzip' });
      const accepted = new Promise((resolve) => {
        refused.stream.on('response', (headers) => resolve(headers['grpc-accept-encoding']));
      });
      // Neither message is compressed: the second one would have been judged.
      refused.write(prefixed(await encoded(grpcHandshake)));
      refused.write(prefixed(field(2, head)));
      await refused.closed();
      expect(refused.status).toBe(String(codes.UNIMPLEMENTED));
      expect(await accepted).toBe('identity');
      expect((await greeted(connected)).isClosed).toBe(false);
      expect([service.configs.length, service.events]).toEqual([1, []]);
    },
  );

  it('is refused a compressed message in an uncompressed call', async () => {
    await listen();
    const call = await greeted();
    call.write(prefixed(gzipSync(field(2, head)), 1));
    await call.closed();
    expect(service.events).toEqual([]);
  });

  it('is disconnected if a call ends within a message', async () => {
    await listen();
    const call = await greeted();
    call.stream.end(prefixed(field(2, head)).subarray(0, 12));
    await call.closed();
    expect(call.status).toBe(String(codes.ABORTED));
    expect(service.events).toEqual([]);
  });

  it('must send its handshake first', async () => {
    await listen();
    const call = gateway().call('ProcessStream');
    call.write(prefixed(field(2, head)));
    expect((await call.closed()).statusMessage).toBe('a message before the handshake');
    expect(service.events).toEqual([]);
  });

  it('must not have two events in flight for one id', async () => {
    service.answer = () => new Promise(() => {});
    await listen();
    const call = await greeted();
    call.write(Buffer.concat([prefixed(field(2, head)), prefixed(field(2, head))]));
    expect((await call.closed()).statusMessage).toBe('two events in flight for one correlation id');
    expect(service.events).toHaveLength(1);
  });

  it.each([
    ['another method', { ':path': '/zentinel.agent.v2.AgentServiceV2/Other' }, 200, String(codes.UNIMPLEMENTED)],
    ['an encoding that nobody knows', { 'grpc-encoding': 'rot13' }, 200, String(codes.UNIMPLEMENTED)],
    ['another content type', { 'content-type': 'application/json' }, 415, null],
  ])('is refused for %s', async (_, headers, httpStatus, status) => {
    await listen();
    const call = gateway().call('ProcessStream', headers);
    call.write(prefixed(await encoded(grpcHandshake), 'grpc-encoding' in headers ? 1 : 0));
    await call.closed();
    expect([call.httpStatus, call.status]).toEqual([httpStatus, status]);
    expect(service.configs).toEqual([]);
  });

  it('may send 10 000 headers in pieces of any size', async () => {
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

  it('is disconnected for an endless slow message', async () => {
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
    expect(call.statusMessage).toBe('a message was not complete in time');
  });

  it('cannot exceed the total bound of unfinished messages: the largest is closed', async () => {
    await listen({ maxHeldBytes: 2 * mebibyte });
    const small = await greeted();
    const large = await greeted();
    small.write(prefixed(Buffer.alloc(100_000), 0, 4 * mebibyte));
    large.write(prefixed(Buffer.alloc(3 * mebibyte), 0, 4 * mebibyte));
    await large.closed();
    expect(small.isClosed).toBe(false);
  });

  it.each(['ProcessEvent', 'ControlStream'])('cannot exceed it with messages of %s', async (method) => {
    await listen({ maxHeldBytes: 2 * mebibyte });
    const calls = Array.from({ length: 3 }, () => gateway().call(method));
    for (const call of calls) call.write(prefixed(Buffer.alloc(mebibyte), 0, 4 * mebibyte));
    await eventually(() => calls.some(({ isClosed }) => isClosed));
    expect(calls.some(({ isClosed }) => !isClosed)).toBe(true);
  });

  it('holds no memory with half a message after an answered one', async () => {
    const decision = new Deferred<AgentAnswer>();
    service.answer = () => decision.promise;
    await listen();
    const connected = gateway();
    const call = connected.call('ProcessEvent');
    call.write(prefixed(field(2, head)));
    call.write(prefixed(Buffer.alloc(mebibyte), 0, 4 * mebibyte));
    await service.received(1);
    await eventually(() => call.stream.writableLength === 0);
    // What is answered later came later.
    const ping = connected.call('ProcessEvent');
    ping.write(prefixed(await encoded({ ping: { sequence: 1 } })));
    await ping.closed();
    expect(connected.isClosed).toBe(false);
    decision.resolve(allowAnswer);
    await connected.closed();
  });

  it.each(['ProcessEvent', 'ProcessStream', 'ControlStream'])(
    'holds no memory with a long deadline on %s',
    async (method) => {
      await listen();
      const connected = gateway();
      const other = await greeted(connected);
      const call = connected.call(method, { 'grpc-timeout': '200m' });
      // It does not see that the call has ended, and so does not end its own side.
      call.stream.pause();
      call.write(prefixed(Buffer.alloc(mebibyte / 2), 0, 4 * mebibyte));
      await eventually(() => call.stream.closed);
      expect(call.stream.rstCode).not.toBe(0);
      other.write(prefixed(await encoded({ ping: { sequence: 1 } })));
      await other.answered(3);
      expect(other.isClosed).toBe(false);
    },
  );

  const cutOffs = (): readonly unknown[] =>
    logger.lines.filter(({ message }) => message === 'Calls of gateways were cut off').map(({ fields }) => fields);

  it.each([
    ['without a deadline', {}],
    ['with a deadline of its own', { 'grpc-timeout': '30m' }],
  ])('is disconnected if it does not read the answer of ProcessEvent in time, %s', async (_, headers) => {
    service.answer = () => decided({ kind: 'block', status: 403, body: 'x'.repeat(300_000), headers: [] });
    await listen({ writeTimeoutMs: 150 });
    const connected = gateway();
    const call = connected.call('ProcessEvent', headers);
    call.stream.pause();
    call.stream.end(prefixed(field(2, head)));
    await eventually(() => call.stream.closed || connected.isClosed);
    expect(cutOffs()).toEqual([{ calls: 1, last_reason: 'the answer was not read in time' }]);
  });

  it('cannot exceed the bound of unread answers and waiting events', async () => {
    service.answer = () => decided({ kind: 'block', status: 403, body: 'x'.repeat(mebibyte), headers: [] });
    await listen({ maxHeldBytes: 2 * mebibyte });
    const unread = Array.from({ length: 3 }, () => gateway().call('ProcessEvent'));
    for (const call of unread) {
      call.stream.pause();
      call.stream.end(prefixed(field(2, head)));
    }
    await eventually(() => unread.some(({ stream }) => stream.closed));
    expect(cutOffs()).toHaveLength(1);
    for (const { session } of gateways) setImmediate(() => session.destroy());
    service.answer = () => new Promise(() => {});
    const chunk = prefixed(field(3, Buffer.concat([field(1, 'b'), field(3, Buffer.alloc(mebibyte))])));
    const waiting = Array.from({ length: 3 }, () => gateway().call('ProcessEvent'));
    for (const { stream } of waiting) stream.end(chunk);
    await eventually(() => waiting.some(({ isClosed }) => isClosed));
    await eventually(() => waiting.some(({ isClosed }) => !isClosed));
  });

  it('causes one log line for many aborted calls', async () => {
    await listen({ handshakeTimeoutMs: 50, messageTimeoutMs: 50 });
    const calls = ['ProcessEvent', 'ProcessEvent', 'ControlStream'].map((method) => gateway().call(method));
    for (const call of calls) call.write(prefixed(Buffer.alloc(10), 0, 100));
    for (const call of calls) await call.closed();
    expect(cutOffs()).toEqual([expect.objectContaining({ calls: 1 })]);
  });

  it('may cancel a call within a message, and keeps its connection', async () => {
    await listen();
    const connected = gateway();
    const call = await greeted(connected);
    const cancelled = connected.call('ProcessEvent');
    cancelled.write(prefixed(Buffer.alloc(mebibyte), 0, 4 * mebibyte));
    await eventually(() => cancelled.stream.writableLength === 0);
    cancelled.stream.close(8);
    const ping = connected.call('ProcessEvent');
    ping.write(prefixed(await encoded({ ping: { sequence: 1 } })));
    expect((await ping.closed()).status).toBe(String(codes.OK));
    expect(call.isClosed).toBe(false);
  });

  it('has a deadline for its handshake, for a one-shot message and for the first call', async () => {
    await listen({ handshakeTimeoutMs: 50 });
    const connected = gateway();
    const silent = connected.call('ProcessStream');
    const oneShot = connected.call('ProcessEvent');
    oneShot.write(prefixed(Buffer.alloc(10), 0, 100));
    expect((await silent.closed()).statusMessage).toBe('no handshake arrived in time');
    expect((await oneShot.closed()).status).toBe(String(codes.DEADLINE_EXCEEDED));
    await gateway().closed();
    await closed(plainSocket());
  });

  it('is closed after a long time without calls', async () => {
    await listen({ idleTimeoutMs: 50 });
    const connected = gateway();
    const call = connected.call('ProcessEvent');
    call.write(prefixed(await encoded({ ping: { sequence: 1 } })));
    expect((await call.closed()).status).toBe(String(codes.OK));
    await connected.closed();
  });

  it('is closed if it does not answer pings', async () => {
    await listen({ pingIntervalMs: 30 });
    const socket = plainSocket();
    socket.write(Buffer.concat([preface, headersFrame(1)]));
    await closed(socket);
    await expect.poll(() => server.connections).toBe(0);
  });

  it('cannot open more calls on a connection than allowed, even without acknowledging the limit', async () => {
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

  it('gets an error for too many calls or connections', async () => {
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
    expect(logger.lines.filter(({ message }) => message === 'Connections are refused')).toHaveLength(1);
  });

  it('is not read while it does not read, and is disconnected if it goes on', async () => {
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

  it('is disconnected at once when too much output waits', async () => {
    service.answer = () => decided({ kind: 'block', status: 403, body: 'x'.repeat(300_000), headers: [] });
    await listen({ maxOutputBytes: 200_000 });
    const call = await greeted();
    call.stream.pause();
    call.write(prefixed(field(2, head)));
    await eventually(() => server.connections === 0);
    expect(logger.lines.some(({ fields }) => fields['reason'] === 'the gateway does not read')).toBe(true);
  });

  it('does not delay the shutdown of the agent by not reading', async () => {
    service.answer = () => decided({ kind: 'block', status: 403, body: 'x'.repeat(300_000), headers: [] });
    await listen();
    const call = await greeted();
    call.stream.pause();
    call.write(prefixed(field(2, head)));
    await service.received(1);
    await server.drain(50);
    expect(server.connections).toBe(0);
  });

  it('leaks nothing with repeated cancelled calls', async () => {
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

  it('gets a refusal if the agent throws', async () => {
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

  it('gets many configurations applied in order', async () => {
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
