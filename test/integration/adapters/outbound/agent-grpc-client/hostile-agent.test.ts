import { createServer, type Server, type Socket } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GrpcConnectorOptions } from '../../../../../src/adapters/outbound/agent-grpc-client/grpc-client-options.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { freePort } from '../../../../support/shared/free-port.js';
import { connectRecorded, grpcConnector } from '../../../../support/shared/grpc-connections.js';
import { RawGrpcAgent, rawCapabilities, rawField } from '../../../../support/shared/raw-grpc-agent.js';

const handshake = { protocol_version: 2, capabilities: rawCapabilities, success: true };
const response = 2;
const bad = Buffer.of(0x61, 0xff, 0xc0);
/** A field with a length of any size. */
const rawLong = (number: number, value: Uint8Array): Buffer => {
  const length: number[] = [];
  let rest = value.length;
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.of((number << 3) | 2, ...length, rest), value]);
};
const many = (count: number, octets: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => octets));

describe('a hostile agent over gRPC', () => {
  let agent: RawGrpcAgent;
  beforeEach(async () => {
    agent = await RawGrpcAgent.open();
  });
  afterEach(() => agent.close());

  const connect = (options: Partial<GrpcConnectorOptions> = {}) =>
    connectRecorded(grpcConnector(agent.address, {}, options));
  const ready = async (options: Partial<GrpcConnectorOptions> = {}) => {
    const { connection, told } = connect(options);
    const stream = await agent.greeted();
    await told.isReady();
    return { connection, told, stream };
  };

  it.each([
    ['no decision at all', {}],
    ['a needs_more without a decision', { needs_more: true }],
    ['a header operation that is none', { allow: {}, request_headers: [{}] }],
    ['a confidence that is no number', { allow: {}, audit: { confidence: Number.NaN } }],
  ])('has its answer treated as malformed for %s', async (_, members) => {
    const { told, stream } = await ready();
    stream.send({ response: { correlation_id: 'a', ...members } });
    await eventually(() => told.answers.length === 1);
    expect(told.answers[0]).toMatchObject({ correlationId: 'a', answer: { ok: false } });
    expect(told.ends).toEqual([]);
  });

  it('has its answer treated as malformed for two decisions, in either order', async () => {
    const { told, stream } = await ready();
    const id = rawField(1, 'a');
    const allow = rawField(2, '');
    const block = rawField(3, Buffer.of(8, 0x93, 0x03));
    stream.send(rawField(response, Buffer.concat([id, allow, block])));
    stream.send(rawField(response, Buffer.concat([id, block, allow])));
    await eventually(() => told.answers.length === 2);
    for (const { answer } of told.answers) expect(answer.ok).toBe(false);
  });

  it.each([
    ['the value of a header', rawField(10, rawField(1, Buffer.concat([rawField(1, 'x'), rawField(2, bad)])))],
    ['the name of a header', rawField(11, rawField(2, rawField(1, bad)))],
    ['a URL', rawField(4, rawField(1, bad))],
    ['the body of a block', rawField(3, rawField(2, bad))],
    ['a parameter of a challenge', rawField(5, rawField(2, Buffer.concat([rawField(1, bad), rawField(2, 'x')])))],
    ['a tag', rawField(12, rawField(1, bad))],
  ])('has its answer treated as malformed for invalid UTF-8 in %s, on only that call', async (_, member) => {
    const { told, stream } = await ready();
    const decision = [3, 4, 5].includes((member[0] as number) >> 3) ? '' : rawField(2, '');
    stream.send(rawField(response, Buffer.concat([rawField(1, 'a'), Buffer.from(decision), member])));
    stream.send({ response: { correlation_id: 'b', block: { status: 400, body: '\ufffd' } } });
    await eventually(() => told.answers.length === 2);
    expect(told.answers).toMatchObject([
      { correlationId: 'a', answer: { ok: false, error: 'it holds invalid UTF-8' } },
      { correlationId: 'b', answer: { ok: true, value: { decision: { body: '\ufffd' } } } },
    ]);
  });

  it('has reports with invalid UTF-8 ignored', async () => {
    const { told, stream } = await ready();
    stream.send(rawField(3, Buffer.concat([rawField(1, bad), Buffer.of(0x10, 1)])));
    stream.send(rawField(8, rawField(2, bad)));
    await eventually(() => told.problems.length === 2);
    expect([told.healths, told.ends]).toEqual([[], []]);
  });

  it.each([
    ['too many fields', rawLong(2, Buffer.concat([rawField(1, 'a'), many(25_001, rawField(10, rawField(3, '')))]))],
    ['too many events', rawLong(1, rawLong(2, rawLong(5, Buffer.alloc(50_001, 1))))],
    ['fields hidden behind one of another type', rawLong(2, Buffer.from([0x50, 0x02, 0x1a, 0x00]))],
    [
      'fields hidden behind a longer number than fits',
      rawLong(3, Buffer.from([0x10, ...Array(6).fill(0x80), 0, 9, 9])),
    ],
  ])('loses its connection for a message of %s', async (_, message) => {
    const { told, stream } = await ready();
    stream.send(message);
    expect(await told.hasEnded()).toMatchObject({ kind: 'malformed' });
    expect([told.answers, told.problems]).toEqual([[], []]);
  });

  it('may report 500 series with labels and buckets, and change 1024 headers both ways', async () => {
    const { told, stream } = await ready();
    const labels = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`l${index}`, 'v']));
    const buckets = Array.from({ length: 20 }, (_, index) => ({ le: index + 1, count: index + 1 }));
    const histogram = { name: 'h', help: 'a', labels, sum: 1, count: 20, buckets };
    stream.send({ metrics: { histograms: Array.from({ length: 500 }, () => histogram) } });
    const operations = Array.from({ length: 1_024 }, () => ({ add: { name: 'x', value: 'y' } }));
    stream.send({
      response: { correlation_id: 'a', allow: {}, request_headers: operations, response_headers: operations },
    });
    await eventually(() => told.answers.length === 1 || told.ends.length > 0);
    expect(told.reports[0]?.histograms).toHaveLength(500);
    expect(told.answers[0]?.answer).toMatchObject({ ok: true });
  });

  it.each([
    ['an answer without an id', { response: { allow: {} } }],
    ['a message of no kind', {}],
    ['a second answer to the handshake', { handshake }],
    ['octets that are no message', Buffer.of(0xff, 0xff, 0xff)],
    ['a field that is longer than the message', Buffer.of(0x12, 0x7f, 0x01)],
    ['groups within groups without end', Buffer.alloc(100_000, 0x7b)],
    ['an answer whose id is no UTF-8', rawField(2, Buffer.concat([rawField(1, bad), rawField(2, '')]))],
    ['two messages in one', Buffer.concat([rawField(2, rawField(1, 'a')), rawField(7, '')])],
  ])('loses its connection for %s', async (_, message) => {
    const { told, stream } = await ready();
    stream.send(message);
    expect(await told.hasEnded()).toMatchObject({ kind: 'malformed' });
    await eventually(() => stream.isCancelled);
    expect(told.answers).toEqual([]);
  });

  it('loses its connection for a message of 17 MiB', async () => {
    const { told, stream } = await ready();
    stream.send({ response: { correlation_id: 'a', block: { status: 200, body: 'x'.repeat(17 * 1_048_576) } } });
    expect(await told.hasEnded()).toMatchObject({ kind: 'malformed' });
    expect(told.answers).toEqual([]);
  });

  it('may send a message just below the limit', async () => {
    const { told, stream } = await ready();
    const body = 'x'.repeat(16_777_216 - 100);
    stream.send({ response: { correlation_id: 'a', block: { status: 200, body } } });
    await eventually(() => told.answers.length === 1 || told.ends.length > 0);
    expect(told.answers[0]).toMatchObject({ answer: { ok: true } });
  });

  it.each([
    ['an answer', { response: { correlation_id: 'a', allow: {} } }],
    ['a report', { health: { agent_id: 'a', state: 1 } }],
    ['a handshake without capabilities', { handshake: { protocol_version: 2, success: true } }],
  ])('loses its connection for %s instead of the handshake answer', async (_, message) => {
    const { told } = connect();
    (await agent.stream()).send(message);
    expect(await told.hasEnded()).toMatchObject({ kind: 'malformed' });
    expect(told.ready).toEqual([]);
  });

  it.each([
    ['wants nobody', { handshake: { protocol_version: 2, error: 'not you' } }, 'not you'],
    ['gives no reason', { handshake: {} }, 'no reason given'],
    ['speaks another version', { handshake: { ...handshake, protocol_version: 3 } }, '3'],
    ['says very much', { handshake: { error: 'x'.repeat(10_000) } }, 'x'],
  ])('counts as refusing if it %s', async (_, message, reason) => {
    const { told } = connect();
    (await agent.stream()).send(message);
    const end = await told.hasEnded();
    expect(end.kind).toBe('refused');
    expect(end.detail).toContain(reason);
    expect(end.detail.length).toBeLessThanOrEqual(600);
  });

  it('cannot send more headers than the limit', async () => {
    const { told } = connect();
    const stream = await agent.stream();
    const metadata = new grpc.Metadata();
    metadata.set('portcullis-owned-headers', Array.from({ length: 257 }, (_, index) => `x-${index}`).join(','));
    stream.call.sendMetadata(metadata);
    stream.send({ handshake });
    expect(await told.hasEnded()).toMatchObject({ kind: 'malformed' });
  });

  it('has only malformed reports ignored', async () => {
    const { told, stream } = await ready();
    stream.send({ health: { agent_id: 'a', state: 9 } });
    stream.send({ health: { agent_id: 'a', state: 1, load: { p95_latency_ms: Number.POSITIVE_INFINITY } } });
    stream.send({ flow_control: { action: 0 } });
    stream.send({ config_update: { request_id: 'u' } });
    stream.send({ response: { correlation_id: 'a', allow: {} } });
    await eventually(() => told.answers.length === 1);
    expect(told.problems).toHaveLength(4);
    expect([told.healths, told.signals, told.updates, told.ends]).toEqual([[], [], [], []]);
  });

  it('has its end reported with its shortened message', async () => {
    const { told, stream } = await ready();
    stream.call.emit('error', { code: grpc.status.ABORTED, details: 'y'.repeat(2_000) });
    const end = await told.hasEnded();
    expect(end.kind).toBe('ended');
    expect(end.detail).toMatch(/^ABORTED: y+$/);
    expect(end.detail.length).toBeLessThanOrEqual(500);
  });

  it.each([
    ['refuses', grpc.status.PERMISSION_DENIED, 'refused'],
    ['does not know', grpc.status.UNAUTHENTICATED, 'refused'],
    ['does not serve', grpc.status.UNIMPLEMENTED, 'ended'],
    ['has no room for', grpc.status.RESOURCE_EXHAUSTED, 'ended'],
  ])('is reported distinctly if it %s the gateway', async (_, code, kind) => {
    const { told } = connect();
    (await agent.stream()).call.emit('error', { code, details: 'no' });
    expect(await told.hasEnded()).toMatchObject({ kind });
  });

  it('is disconnected after only a GOAWAY', async () => {
    const { told, stream } = await ready();
    stream.call.end();
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
  });

  it('times out without a handshake answer', async () => {
    const { told } = connect({ handshakeTimeoutMs: 50 });
    const stream = await agent.stream();
    expect(await told.hasEnded()).toMatchObject({
      kind: 'ended',
      detail: expect.stringContaining('handshake in time'),
    });
    await eventually(() => stream.isCancelled);
  });

  it('times out without any answer to a ping', async () => {
    const { told } = await ready({ pingIntervalMs: 50 });
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended', detail: expect.stringContaining('ping') });
  });

  it('is kept while it answers pings', async () => {
    const { told, stream } = await ready({ pingIntervalMs: 20 });
    const answered = new Set<number>();
    await eventually(() => {
      for (const { ping } of stream.received) {
        const sequence = ping?.sequence ?? 0;
        if (sequence === 0 || answered.has(sequence)) continue;
        answered.add(sequence);
        stream.send({ pong: { sequence } });
      }
      return answered.size >= 5;
    });
    expect(told.ends).toEqual([]);
  });

  it('cannot keep its connection open by not reading', async () => {
    const { connection, stream } = await ready({ handshakeTimeoutMs: 200 });
    stream.call.pause();
    for (let index = 0; index < 10; index += 1) {
      connection.sendEvent(headersEvent(`a${index}`, { headers: ['x', 'y'.repeat(60_000)] }));
    }
    connection.close('done');
    await expect.poll(() => stream.isCancelled || stream.call.destroyed).toBe(true);
  });

  it('does not delay the exit of the gateway', async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const { connection, stream } = await ready({ handshakeTimeoutMs: 600_000 });
    const before = sockets();
    connection.sendEvent(headersEvent('last'));
    connection.close('drained');
    await stream.first(({ request_headers: event }) => event);
    await eventually(() => stream.isEnded && sockets() === before - 1);
    // It does not end its side, and has what it says read all the same.
    expect(stream.isCancelled).toBe(false);
    stream.call.end();
    await eventually(() => sockets() <= before - 2);
  });

  it('works without a ControlStream', async () => {
    agent.close();
    agent = await RawGrpcAgent.open({ servesControl: false });
    const { told, stream } = await ready();
    stream.send({ response: { correlation_id: 'a', allow: {} } });
    await eventually(() => told.answers.length === 1);
    expect(told.ends).toEqual([]);
  });
});

describe('a peer that is no agent', () => {
  let server: Server;
  const sockets: Socket[] = [];
  beforeEach(() => {
    sockets.length = 0;
    server = createServer((socket) => {
      sockets.push(socket);
      socket.resume();
      socket.on('error', () => {});
    });
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const listening = async (): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };

  it('is unreachable if nothing listens', async () => {
    const { told } = connectRecorded(grpcConnector({ kind: 'tcp', host: '127.0.0.1', port: await freePort() }));
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended', detail: expect.stringContaining('ECONNREFUSED') });
  });

  it('is unreachable if the name has no address', async () => {
    const { told } = connectRecorded(grpcConnector({ kind: 'tcp', host: 'no-such-host.invalid', port: 1 }));
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
  });

  it('times out if it is silent, and leaves no connection', async () => {
    const port = await listening();
    const { told } = connectRecorded(
      grpcConnector({ kind: 'tcp', host: '127.0.0.1', port }, {}, { handshakeTimeoutMs: 50 }),
    );
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
    await eventually(() => sockets.length > 0 && sockets.every((socket) => socket.destroyed));
  });

  it('fails if it speaks another protocol', async () => {
    server.on('connection', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'));
    const port = await listening();
    const { told } = connectRecorded(grpcConnector({ kind: 'tcp', host: '127.0.0.1', port }));
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
    expect(told.ready).toEqual([]);
  });

  it('leaves no connection if the gateway gives up', async () => {
    const port = await listening();
    const { connection } = connectRecorded(
      grpcConnector({ kind: 'tcp', host: '127.0.0.1', port }, {}, { handshakeTimeoutMs: 50 }),
    );
    await eventually(() => sockets.length > 0);
    connection.close('not needed');
    await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true);
  });
});
