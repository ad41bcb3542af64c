import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { Deferred } from '../../../../support/agent/fake-agent-service.js';
import { parsedFrame, rawEvent, ServedSocket } from '../../../../support/gateway/served-socket.js';
import { decided } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { RawPeer, rawFrame, rawHandshake } from '../../../../support/shared/raw-agent-peer.js';

describe('an AgentUnixSocketServer and a gateway that misbehaves', () => {
  let agent: ServedSocket;

  beforeEach(() => {
    agent = new ServedSocket();
  });

  afterEach(() => agent.close());

  it('is disconnected for an endless slow frame', async () => {
    const peer = await agent.greeted({ frameTimeoutMs: 100 });
    const frame = rawFrame(0x10, 'x'.repeat(100_000));
    let sent = 0;
    while (!peer.isClosed && sent < frame.length) {
      peer.socket.write(frame.subarray(sent, sent + 10));
      sent += 10;
      await sleep(1);
    }
    expect(sent).toBeLessThan(frame.length);
    expect(JSON.stringify(agent.logger.lines)).toContain('a frame was not complete in time');
  });

  it('may send thousands of frames at once: decisions do not nest', async () => {
    const events = 5_000;
    let deepest = 0;
    const limitBefore = Error.stackTraceLimit;
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    agent.service.isPrompt = true;
    agent.service.answer = () => {
      deepest = Math.max(deepest, new Error().stack?.split('\n').length ?? 0);
      return allowAnswer;
    };
    try {
      await agent.listen();
      const peer = await agent.gateway();
      const frames = Array.from({ length: events }, (_, index) =>
        rawFrame(0x11, { correlation_id: `${index}`, data: '', is_last: true, chunk_index: 0, bytes_received: 0 }),
      );
      peer.socket.write(Buffer.concat([rawFrame(0x01, rawHandshake), ...frames]));
      expect(await peer.received(0x20, events)).toHaveLength(events);
    } finally {
      Error.stackTraceLimit = limitBefore;
    }
    expect(deepest).toBeGreaterThan(0);
    expect(deepest).toBeLessThan(100);
  });

  it('may pause between frames, and may send frames without a pause', async () => {
    const peer = await agent.greeted({ frameTimeoutMs: 400 });
    const frames = Array.from({ length: 700 }, (_, index) => rawFrame(0x10, rawEvent(`event-${index}`)));
    const octets = Buffer.concat(frames);
    const size = frames[0]?.length ?? 0;
    let sent = 0;
    while (sent < octets.length) {
      const end = sent + size;
      peer.socket.write(octets.subarray(sent, Math.min(end, octets.length)));
      sent = end;
      await sleep(2);
      // From here on no write ends where a frame does.
      if (sent === size) {
        peer.socket.write(octets.subarray(sent, sent + 20));
        sent += 20;
      }
    }
    expect(await peer.received(0x20, frames.length)).toHaveLength(frames.length);
  });

  it('cannot exceed the total bound of unfinished frames: the largest is closed', async () => {
    await agent.listen({ maxHeldBytes: 1_000_000 });
    const greet = async (id: string): Promise<RawPeer> => {
      const peer = await agent.gateway();
      peer.send(0x01, { ...rawHandshake, proxy_id: id });
      await peer.received(0x30);
      return peer;
    };
    const [small, large] = [await greet('small'), await greet('large')];
    const frame = rawFrame(0x10, 'x'.repeat(4_000_000));
    small.socket.write(frame.subarray(0, 100_000));
    large.socket.write(frame.subarray(0, 1_500_000));
    await large.closed();
    expect(small.isClosed).toBe(false);
    const closed = agent.logger.lines.filter(({ message }) => message === 'a gateway connection was closed');
    expect(closed.map(({ fields }) => fields['proxy_id'])).toEqual(['large']);
  });

  it('has waiting events counted toward that bound', async () => {
    agent.service.maxConcurrency = 10;
    agent.service.answer = () => new Promise(() => undefined);
    const peer = await agent.greeted({ maxHeldBytes: 300_000 });
    for (let index = 0; index < 10; index += 1) peer.send(0x10, rawEvent(`judged-${index}`));
    await agent.service.received(10);
    const headers = { a: ['x'.repeat(50_000)] };
    for (let index = 0; index < 10; index += 1) peer.send(0x10, rawEvent(`waiting-${index}`, { headers }));
    await peer.closed();
    expect(agent.service.events).toHaveLength(10);
  });

  it('is disconnected without a handshake', async () => {
    await agent.listen({ handshakeTimeoutMs: 20 });
    const peer = await agent.gateway();
    peer.socket.write(Buffer.from([0, 0, 1]));
    await peer.closed();
    expect(agent.logger.lines.some(({ level }) => level === 'warn')).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['an event', rawFrame(0x10, rawEvent('a'))],
    ['a ping', rawFrame(0x41, '{}')],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
  ])('is disconnected if it begins with %s', async (_case, octets) => {
    await agent.listen();
    const peer = await agent.gateway();
    peer.socket.write(octets);
    await peer.closed();
    expect(agent.service.events).toHaveLength(0);
    expect(peer.frames).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['a frame of length zero', Buffer.from([0, 0, 0, 0])],
    ['a frame over the maximum', Buffer.from([1, 0, 0, 1, 0x10])],
    ['an unknown type', rawFrame(0x18, '{}')],
    ['a message that only an agent sends', rawFrame(0x20, '{}')],
    ['a second handshake', rawFrame(0x01, rawHandshake)],
    ['no JSON', rawFrame(0x10, '{')],
    ['invalid UTF-8', rawFrame(0x10, Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]))],
    ['an event without an id', rawFrame(0x10, rawEvent('x', { correlation_id: undefined }))],
    ['an event with two ids', rawFrame(0x10, rawEvent('x', { correlation_id: 'y' }))],
    ['an event without a method', rawFrame(0x10, rawEvent('x', { method: undefined }))],
    ['an event without headers', rawFrame(0x10, rawEvent('x', { headers: undefined }))],
    ['header values that are none', rawFrame(0x10, rawEvent('x', { headers: { a: 'b' } }))],
    [
      'a chunk that is no base64',
      rawFrame(0x11, { correlation_id: 'x', data: 'a*==', is_last: true, chunk_index: 0, bytes_received: 0 }),
    ],
    [
      'a chunk with an unpadded end',
      rawFrame(0x11, { correlation_id: 'x', data: 'QQ', is_last: true, chunk_index: 0, bytes_received: 1 }),
    ],
    ['an unasked event without an id', rawFrame(0x15, { opcode: 'text' })],
    ['the end of a request without an id', rawFrame(0x14, { status: 200 })],
    ['the head of a response without a status', rawFrame(0x12, { correlation_id: 'x', headers: {} })],
    [
      'the head of a response with a status that is none',
      rawFrame(0x12, { correlation_id: 'x', status: '200', headers: {} }),
    ],
    ['the head of a response without headers', rawFrame(0x12, { correlation_id: 'x', status: 200 })],
    [
      'a chunk of a response that is no base64',
      rawFrame(0x13, { correlation_id: 'x', data: 'QQ', is_last: true, chunk_index: 0, bytes_sent: 1 }),
    ],
    [
      'a chunk that counts backwards',
      rawFrame(0x13, { correlation_id: 'x', data: 'QQ==', is_last: true, chunk_index: -1, bytes_sent: 1 }),
    ],
    ['a correlation id without end', rawFrame(0x12, { correlation_id: 'x'.repeat(100_000), status: 200, headers: {} })],
    ['a cancel without an id', rawFrame(0x40, { reason: 1 })],
    ['a cancel for no reason', rawFrame(0x40, { correlation_id: 'x', reason: 'bored' })],
    ['more values than it can hold', rawFrame(0x10, rawEvent('x', { headers: { a: Array(200_001).fill('') } }))],
    ['an announced frame of 4 GiB', Buffer.from([0xff, 0xff, 0xff, 0xff, 0x10])],
    ['JSON that is no object', rawFrame(0x12, '[1,2]')],
    ['a byte order mark', rawFrame(0x12, '\ufeff{"correlation_id":"x","status":200,"headers":{}}')],
    [
      'a configuration nested without end',
      rawFrame(0x17, `{"correlation_id":"c","config":${'['.repeat(4_000)}${']'.repeat(4_000)}}`),
    ],
  ])('is disconnected for %s', async (_case, octets) => {
    const peer = await agent.greeted();
    peer.socket.write(octets);
    await peer.closed();
    expect(agent.service.events).toHaveLength(0);
    expect(peer.frames.some(({ code }) => code === 0x20)).toBe(false);
    await eventually(() => agent.service.disconnects === 1);
  });

  it('is disconnected for two concurrent events of one request', async () => {
    const peer = await agent.greeted();
    agent.service.answer = () => new Promise(() => {});
    peer.send(0x10, rawEvent('same'));
    peer.send(0x10, rawEvent('same'));
    await peer.closed();
    expect(await peer.received(0x20, 0)).toEqual([]);
  });

  it.each<[string, number, object]>([
    ['the head of its response', 0x12, { status: 200, headers: {} }],
    ['a WebSocket frame', 0x15, { opcode: 'text', data: '' }],
    ['a chunk of its body', 0x11, { data: '', is_last: true, chunk_index: 0, bytes_received: 0 }],
  ])('cannot confuse the answer to %s with one to a request in flight', async (_case, code, members) => {
    const peer = await agent.greeted();
    agent.service.answer = () => new Promise(() => {});
    peer.send(0x10, rawEvent('same'));
    peer.send(code, { correlation_id: 'same', ...members });
    await peer.closed();
    expect(peer.frames.some(({ code: sent }) => sent === 0x20)).toBe(false);
  });

  it('may send 10 000 headers', async () => {
    const peer = await agent.greeted();
    const headers = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`X-${index}`, ['v']]));
    peer.send(0x10, rawEvent('many', { headers }));
    expect(parsedFrame((await peer.received(0x20))[0])['decision']).toBe('allow');
    const [event] = agent.service.events;
    expect(event?.kind === 'request_headers' && event.headers.length).toBe(20_000);
  });

  it('may send the largest possible frame', async () => {
    const peer = await agent.greeted();
    const padding = 16_777_215 - JSON.stringify(rawEvent('big', { uri: '' })).length;
    peer.send(0x10, rawEvent('big', { uri: 'x'.repeat(padding) }));
    expect(parsedFrame((await peer.received(0x20))[0])['decision']).toBe('allow');
  });

  it('is released if it half-closes with calls in flight', async () => {
    const peer = await agent.greeted();
    agent.service.answer = () => new Promise(() => {});
    peer.send(0x10, rawEvent('a'));
    await agent.service.received(1);
    peer.socket.end();
    await eventually(() => agent.service.disconnects === 1);
    expect(agent.server.connections).toBe(0);
    expect(agent.logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it.each<[string, number, readonly string[]]>([
    ['inside a length, which is a clean close', 3, []],
    ['after the length', 4, ['the connection ended within a frame']],
    ['inside a payload', 20, ['the connection ended within a frame']],
  ])('is released if it ends %s', async (_case, octets, reasons) => {
    const peer = await agent.greeted();
    peer.socket.end(rawFrame(0x10, rawEvent('a')).subarray(0, octets));
    await eventually(() => agent.service.disconnects === 1);
    expect(agent.logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['reason'])).toEqual(
      reasons,
    );
    expect(agent.service.events).toEqual([]);
  });

  it('is disconnected if it stays open after a refusal', async () => {
    await agent.listen({ handshakeTimeoutMs: 50 });
    const socket = connect({ path: agent.path, allowHalfOpen: true });
    const peer = agent.keep(new RawPeer(socket));
    peer.send(0x01, { ...rawHandshake, supported_versions: [3] });
    expect(parsedFrame((await peer.received(0x02))[0])['success']).toBe(false);
    await eventually(() => agent.server.connections === 0);
    expect(agent.service.disconnects).toBe(1);
  });

  it('cannot exceed the bounds of concurrent decisions and of reads', async () => {
    agent.service.maxConcurrency = 3;
    const peer = await agent.greeted();
    const held = new Deferred<AgentAnswer>();
    agent.service.answer = () => held.promise;
    for (let index = 0; index < 50; index += 1) peer.send(0x10, rawEvent(`e${index}`));
    await agent.service.received(3);
    await new Promise(setImmediate);
    expect(agent.service.events).toHaveLength(3);
    agent.service.answer = () => allowAnswer;
    held.resolve(allowAnswer);
    expect(await peer.received(0x20, 50)).toHaveLength(50);
  });

  it('is disconnected if it does not read its answers', async () => {
    const peer = await agent.greeted({ pausingOutputBytes: 65_536, maxOutputBytes: 1_048_576 });
    peer.socket.pause();
    agent.service.answer = () => decided({ kind: 'block', status: 200, body: 'x'.repeat(400_000), headers: [] });
    for (let index = 0; index < 20; index += 1) peer.send(0x10, rawEvent(`e${index}`));
    await eventually(() => agent.server.connections === 0);
    expect(agent.service.disconnects).toBe(1);
  });

  it('is disconnected if it stops reading for too long', async () => {
    const peer = await agent.greeted({ pausingOutputBytes: 65_536, writeTimeoutMs: 20, healthIntervalMs: 10 });
    peer.socket.pause();
    agent.service.answer = () => decided({ kind: 'block', status: 200, body: 'x'.repeat(1_000_000), headers: [] });
    peer.send(0x10, rawEvent('e'));
    await expect.poll(() => agent.server.connections).toBe(0);
  });

  it('cannot open more connections than allowed', async () => {
    const peer = await agent.greeted({ maxConnections: 2 });
    const others = [await agent.gateway(), await agent.gateway(), await agent.gateway()];
    await eventually(() => others.filter(({ isClosed }) => isClosed).length === 2);
    expect(agent.server.connections).toBe(2);
    expect(peer.isClosed).toBe(false);
    expect(agent.logger.lines.filter(({ message }) => message === 'Connections are refused')).toHaveLength(1);
  });
});
