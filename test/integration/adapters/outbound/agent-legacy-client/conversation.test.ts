import { chownSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LegacyAgentConnector } from '../../../../../src/adapters/outbound/agent-legacy-client/legacy-agent-connector.js';
import { NodeScheduler } from '../../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { AgentConnection } from '../../../../../src/application/ports/gateway/agent-connector.js';
import { type AgentEvent, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { ok } from '../../../../../src/domain/shared/result.js';
import { RecordingConnectionListener } from '../../../../support/gateway/recording-connection-listener.js';
import { chunkEvent, headersEvent } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import {
  legacyAllow,
  type RawLegacyAgent,
  type RawLegacyPeer,
  rawLegacyAgent,
} from '../../../../support/shared/raw-legacy-agent.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const isRoot = process.getuid?.() === 0;

describe('an agent of the older framing', () => {
  let folder: TemporaryFolder;
  let path: string;
  let agent: RawLegacyAgent;
  let listener: RecordingConnectionListener;
  const connections: AgentConnection[] = [];

  beforeEach(async () => {
    folder = temporaryFolder();
    path = folder.file('agent.sock');
    agent = await rawLegacyAgent(path);
    listener = new RecordingConnectionListener();
  });

  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.close('the test is over');
    await agent.close();
    folder.remove();
  });

  const connector = (owner: string | null = null): LegacyAgentConnector =>
    new LegacyAgentConnector(
      { name: 'waf', path, owner, events: ['request_headers', 'request_body_chunk', 'response_headers'] },
      { scheduler: new NodeScheduler() },
    );

  const connect = async (config: JsonObject | null = null): Promise<AgentConnection> => {
    const connection = connector().connect(config, listener);
    connections.push(connection);
    await listener.ready();
    return connection;
  };

  it('gets its configuration first, and is available once it accepts', async () => {
    await connect({ rules: ['a', 1] });
    const peer = await agent.peer();
    expect(peer.messages).toEqual([
      { version: 2, event_type: 'configure', payload: { agent_id: 'waf', config: { rules: ['a', 1] } } },
    ]);
    expect(listener.capabilities).toEqual({
      agentId: 'waf',
      name: 'waf',
      version: '',
      supportedEvents: ['request_headers', 'request_body_chunk', 'response_headers'],
      features: {
        streamingBody: true,
        websocket: false,
        guardrails: false,
        configPush: false,
        metricsExport: false,
        cancellation: false,
        flowControl: false,
        healthReporting: false,
        concurrentRequests: 0,
      },
      limits: { maxBodySize: 10_485_760, maxConcurrency: 100, preferredChunkSize: 65_536 },
      ownedHeaders: [],
    });
    expect(listener.ends).toEqual([]);
  });

  it('gets an empty configuration if there is none', async () => {
    await connect(null);
    expect((await agent.peer()).messages[0]?.payload).toEqual({ agent_id: 'waf', config: {} });
  });

  it('is unavailable before it answers its configuration', async () => {
    await agent.close();
    agent = await rawLegacyAgent(path, () => {});
    const connection = connector().connect(null, listener);
    connections.push(connection);
    const peer = await agent.peer();
    await peer.received(1);
    expect([listener.capabilities, connection.isBusy]).toEqual([null, true]);
    peer.send({ success: true, extra: 'is of no interest' });
    await listener.ready();
    expect([listener.capabilities?.agentId, connection.isBusy]).toEqual(['waf', false]);
  });

  it('may refuse its configuration', async () => {
    await agent.close();
    agent = await rawLegacyAgent(path, (peer) => {
      void peer.received(1).then(() => peer.send({ success: false, error: 'no such rule' }));
    });
    await connect({});
    expect(listener.ends).toEqual([{ kind: 'refused', detail: 'no such rule' }]);
    expect(listener.capabilities).toBeNull();
    await (await agent.peer()).closed();
  });

  it('may refuse without a reason', async () => {
    await agent.close();
    agent = await rawLegacyAgent(path, (peer) => {
      void peer.received(1).then(() => peer.send({ success: false }));
    });
    await connect({});
    expect(listener.ends).toEqual([{ kind: 'refused', detail: 'no reason given' }]);
  });

  it('gets each event with the payload of the newer framing', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    const events: readonly AgentEvent[] = [
      headersEvent('a', { headers: ['x-a', '1', 'x-a', '\u2603'] }),
      chunkEvent('a', { data: Buffer.from('body'), bytesReceived: 4, totalSize: 4 }),
      { kind: 'response_headers', correlationId: 'a', status: 204, headers: ['x-b', '2'] },
      {
        kind: 'response_body_chunk',
        correlationId: 'a',
        data: Buffer.from([0, 255]),
        isLast: false,
        totalSize: null,
        chunkIndex: 7,
        bytesSent: 9,
      },
      {
        kind: 'request_complete',
        correlationId: 'a',
        status: 200,
        durationMs: 12,
        requestBodySize: 4,
        responseBodySize: 9,
        upstreamAttempts: 1,
        upstream: null,
        error: null,
      },
    ];
    for (const [index, event] of events.entries()) {
      expect(connection.sendEvent(event)).toBe(true);
      await peer.received(index + 2);
      peer.send(legacyAllow);
      await listener.answered(index + 1);
    }
    const sent = peer.messages.slice(1);
    expect(sent.map(({ version, event_type }) => [version, event_type])).toEqual(events.map(({ kind }) => [2, kind]));
    expect(sent.map(({ payload }) => payload)).toMatchObject([
      {
        correlation_id: 'a',
        method: 'GET',
        uri: '/a?b=c',
        headers: { 'x-a': ['1', '\u2603'] },
        metadata: { client_ip: '192.0.2.7' },
      },
      { correlation_id: 'a', data: 'Ym9keQ==', is_last: true, total_size: 4, chunk_index: 0, bytes_received: 4 },
      { correlation_id: 'a', status: 204, headers: { 'x-b': ['2'] } },
      { correlation_id: 'a', data: 'AP8=', is_last: false, total_size: null, chunk_index: 7, bytes_sent: 9 },
      { correlation_id: 'a', status: 200, duration_ms: 12, upstream_attempts: 1, error: null },
    ]);
    expect(listener.answers).toEqual(events.map(() => ({ correlationId: 'a', answer: ok(allowAnswer) })));
  });

  it('answers in order, with decisions like other agents', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    const answers = [
      { ...legacyAllow, request_headers: [{ set: { name: 'X-Id', value: 'b' } }], needs_more: true },
      { version: 2, decision: { block: { status: 403, body: 'no', headers: { 'x-why': 'rule' } } } },
      { version: 2, decision: { redirect: { url: '/in', status: 302 } }, audit: { custom: { correlation_id: 'c' } } },
    ];
    for (const [index, answer] of answers.entries()) {
      connection.sendEvent(headersEvent('abc'[index] as string));
      await peer.received(index + 2);
      peer.send(answer);
      await listener.answered(index + 1);
    }
    expect(listener.answers).toMatchObject([
      { correlationId: 'a', answer: { value: { needsMore: true, requestHeaders: [{ kind: 'set', value: 'b' }] } } },
      {
        correlationId: 'b',
        answer: { value: { decision: { kind: 'block', status: 403, headers: ['x-why', 'rule'] } } },
      },
      { correlationId: 'c', answer: { value: { decision: { kind: 'redirect', url: '/in' } } } },
    ]);
  });

  it('gets one event at a time on each connection', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    expect(connection.isBusy).toBe(false);
    connection.sendEvent(headersEvent('a'));
    expect(connection.isBusy).toBe(true);
    expect(connection.sendEvent(headersEvent('b'))).toBe(false);
    await peer.received(2);
    peer.send(legacyAllow);
    // Whoever has waited for the place can take it there and then.
    listener.whenAnswered = () => {
      listener.whenAnswered = () => {};
      connection.sendEvent(headersEvent('c'));
    };
    await peer.received(3);
    peer.send(legacyAllow);
    await listener.answered(2);
    expect(listener.answers.map(({ correlationId }) => correlationId)).toEqual(['a', 'c']);
  });

  it('can send an answer octet by octet', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    connection.sendEvent(headersEvent('a'));
    await peer.received(2);
    const json = JSON.stringify(legacyAllow);
    peer.socket.setNoDelay(true);
    for (const octet of [0, 0, 0, json.length, ...Buffer.from(json)]) {
      peer.socket.write(Uint8Array.of(octet));
      await new Promise(setImmediate);
    }
    await listener.answered();
    expect(listener.answers).toEqual([{ correlationId: 'a', answer: ok(allowAnswer) }]);
  });

  it('loses its connection and late answer on a cancelled call', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    connection.sendEvent(headersEvent('a'));
    await peer.received(2);
    connection.sendCancel('a', 'timeout');
    expect([connection.isBusy, connection.sendEvent(headersEvent('b'))]).toEqual([true, false]);
    peer.send(legacyAllow);
    expect(await listener.ended()).toEqual({ kind: 'given_up', detail: 'a call was abandoned' });
    await peer.closed();
    expect(listener.answers).toEqual([]);
    expect(listener.ends).toHaveLength(1);
  });

  it('keeps its connection when another request is cancelled', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    connection.sendCancel('nobody', 'manual');
    connection.sendEvent(headersEvent('a'));
    connection.sendCancel('b', 'client_disconnect');
    await peer.received(2);
    peer.send(legacyAllow);
    await listener.answered();
    expect(listener.answers).toHaveLength(1);
    expect(listener.ends).toEqual([]);
  });

  /** Asks about a head, which the agent wants the body of. */
  const openDialogue = async (connection: AgentConnection, peer: RawLegacyPeer, id: string): Promise<void> => {
    const count = listener.answers.length + 1;
    connection.sendEvent(headersEvent(id));
    await peer.received(count + 1);
    peer.send({ ...legacyAllow, needs_more: true });
    await listener.answered(count);
  };

  it('loses its connection when a body is cancelled between two chunks', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    await openDialogue(connection, peer, 'a');
    expect(connection.isBusy).toBe(false);
    connection.sendCancel('a', 'client_disconnect');
    expect([connection.isBusy, connection.sendEvent(headersEvent('b'))]).toEqual([true, false]);
    expect(await listener.ended()).toEqual({ kind: 'given_up', detail: 'a call was abandoned' });
    await peer.closed();
    expect(listener.ends).toHaveLength(1);
  });

  it('finishes other requests before it loses its connection for a cancelled body', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    await openDialogue(connection, peer, 'gone');
    await openDialogue(connection, peer, 'kept');
    connection.sendEvent(headersEvent('asked'));
    connection.sendCancel('gone', 'client_disconnect');
    await peer.received(4);
    peer.send(legacyAllow);
    await listener.answered(3);
    // A body of another is under way still: the connection takes calls meanwhile.
    expect([connection.isBusy, listener.ends]).toEqual([false, []]);
    connection.sendEvent(chunkEvent('kept'));
    await peer.received(5);
    // Nobody can take the place at the moment at which it is free.
    let wasTaken: boolean | null = null;
    listener.whenAnswered = () => {
      wasTaken = connection.sendEvent(headersEvent('late'));
    };
    peer.send(legacyAllow);
    expect(await listener.ended()).toEqual({ kind: 'given_up', detail: 'a call was abandoned' });
    expect(wasTaken).toBe(false);
    expect(listener.answers.map(({ correlationId }) => correlationId)).toEqual(['gone', 'kept', 'asked', 'kept']);
    await peer.closed();
  });

  it('keeps its connection if a body ends before the cancel', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    await openDialogue(connection, peer, 'a');
    connection.sendEvent(chunkEvent('a'));
    await peer.received(3);
    peer.send(legacyAllow);
    await listener.answered(2);
    connection.sendCancel('a', 'client_disconnect');
    connection.sendEvent(headersEvent('b'));
    await peer.received(4);
    peer.send(legacyAllow);
    await listener.answered(3);
    expect(listener.ends).toEqual([]);
  });

  it('gets no new configuration on an open connection', async () => {
    const connection = await connect();
    expect(await connection.configure({}, 'id', 'version')).toMatchObject({ ok: false, error: { kind: 'no_answer' } });
    expect((await agent.peer()).messages).toHaveLength(1);
  });

  it('is not sent an oversized frame', async () => {
    const connection = await connect();
    const data = new Uint8Array(8_000_000);
    expect(connection.sendEvent(chunkEvent('a', { data }))).toBe(false);
    expect(connection.isBusy).toBe(false);
    await agent.close();
    agent = await rawLegacyAgent(path);
    listener = new RecordingConnectionListener();
    await connect({ secret: 'x'.repeat(10_485_760) });
    expect(listener.ends).toMatchObject([{ kind: 'refused' }]);
    expect((await agent.peer()).messages).toEqual([]);
  });

  it('disconnects once when it closes the connection', async () => {
    const connection = await connect();
    const peer = await agent.peer();
    connection.sendEvent(headersEvent('a'));
    await peer.received(2);
    peer.socket.destroy();
    expect(await listener.ended()).toEqual({ kind: 'ended', detail: 'the agent closed it' });
    connection.close('again');
    expect(listener.ends).toHaveLength(1);
  });

  it('reports its close before it returns', async () => {
    const connection = await connect();
    connection.close('as asked');
    expect(listener.ends).toEqual([{ kind: 'ended', detail: 'as asked' }]);
    await (await agent.peer()).closed();
  });

  it('is checked before the connection', async () => {
    expect(await connector().check()).toEqual({ kind: 'ready' });
    expect(await connector('no-such-user').check()).toMatchObject({ kind: 'refused' });
    await agent.close();
    expect(await connector().check()).toEqual({ kind: 'absent', detail: `there is no socket ${path}` });
    folder.write('agent.sock', '');
    expect(await connector().check()).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('not a socket'),
    });
    path = folder.file('x'.repeat(120));
    expect(await connector().check()).toMatchObject({ kind: 'refused' });
  });

  it('that does not exist ends the attempt', async () => {
    path = folder.file('none');
    await connect();
    expect(listener.ends).toMatchObject([{ kind: 'ended' }]);
  });

  // Only root can give a file away.
  it.runIf(isRoot)('of another owner gets no configuration and no secret', async () => {
    chownSync(path, 54_321, 54_321);
    expect(await connector().check()).toMatchObject({ kind: 'refused' });
    expect(await connector('54321').check()).toEqual({ kind: 'ready' });
    await connect({ 'jwt-secret': 'top' });
    expect(listener.ends).toMatchObject([{ kind: 'refused' }]);
    const peer = await agent.peer();
    await peer.closed();
    expect(peer.messages).toEqual([]);
  });

  it('is not contacted after a cancel', async () => {
    const connection = connector().connect({ secret: 'top' }, listener);
    connection.close('never mind');
    await eventually(() => listener.ends.length === 1);
    await agent.close();
    expect(agent.peers.flatMap(({ messages }) => messages)).toEqual([]);
  });
});
