import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LegacyAgentConnector } from '../../../../../src/adapters/outbound/agent-legacy-client/legacy-agent-connector.js';
import { NodeScheduler } from '../../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { PooledAgentClient } from '../../../../../src/application/gateway/ask-agents/pooled-agent-client.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { chunkEvent, headersEvent } from '../../../../support/shared/agent-events.js';
import { pooledClient, type TransportSettings } from '../../../../support/shared/agent-transports.js';
import { eventually } from '../../../../support/shared/eventually.js';
import {
  type LegacyMessage,
  type RawLegacyAgent,
  type RawLegacyPeer,
  rawLegacyAgent,
} from '../../../../support/shared/raw-legacy-agent.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

/** Answers each event in its order, with what the test gives; null: not at all. */
const serve = (peer: RawLegacyPeer, answer: (message: LegacyMessage) => object | null): void => {
  void (async () => {
    for (let count = 1; !peer.isClosed; count += 1) {
      const message = await peer.received(count);
      if (message === undefined) return;
      const answered = message.event_type === 'configure' ? { success: true } : answer(message);
      if (answered !== null) peer.send(answered);
    }
  })();
};

/** An answer that names the request that it is for, in a header. */
const named = ({ payload }: LegacyMessage, members: object = {}): object => ({
  version: 2,
  decision: 'allow',
  request_headers: [{ set: { name: 'X-Id', value: payload['correlation_id'] } }],
  ...members,
});

const nameIn = (outcome: AgentOutcome): unknown => (outcome.ok ? outcome.value.requestHeaders[0] : outcome.error.code);

describe('calls to an agent of the older framing', () => {
  let folder: TemporaryFolder;
  let agent: RawLegacyAgent;
  let client: PooledAgentClient;
  let answer: (message: LegacyMessage) => object | null;
  let logger: RecordingLogger;

  const open = async (connections: number, settings: Partial<TransportSettings> = {}): Promise<void> => {
    const path = folder.file('agent.sock');
    agent = await rawLegacyAgent(path, (peer) => serve(peer, (message) => answer(message)));
    const connector = new LegacyAgentConnector(
      { name: 'waf', path, owner: null, events: ['request_headers', 'request_body_chunk'] },
      { scheduler: new NodeScheduler() },
    );
    client = pooledClient(connector, settings, { connections }, logger);
    client.start();
    await eventually(() => client.status().connections === connections);
  };

  beforeEach(() => {
    folder = temporaryFolder();
    answer = (message) => named(message);
    logger = new RecordingLogger();
  });

  afterEach(async () => {
    await client.stop(0);
    await agent.close();
    folder.remove();
  });

  it('use each connection one at a time, and each gets its own answer', async () => {
    await open(3);
    let most = 0;
    answer = (message) => {
      most = Math.max(most, client.status().inFlight);
      return named(message);
    };
    const ids = Array.from({ length: 60 }, (_, index) => `c${index}`);
    const outcomes = await Promise.all(ids.map((id) => client.ask(headersEvent(id))));
    expect(outcomes.map(nameIn)).toEqual(ids.map((value) => ({ kind: 'set', name: 'X-Id', value })));
    expect(most).toBe(3);
    expect(agent.peers.every(({ messages }) => messages.length > 1)).toBe(true);
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('are bounded while they queue', async () => {
    await open(1, { maxQueueDepth: 2 });
    answer = () => null;
    const calls = ['a', 'b', 'c'].map((id) => client.ask(headersEvent(id)));
    expect(client.status()).toMatchObject({ inFlight: 1, queueDepth: 2 });
    expect(nameIn(await client.ask(headersEvent('d')))).toBe('queue_full');
    for (const id of ['a', 'b', 'c']) client.cancel(id, 'client_disconnect');
    expect((await Promise.all(calls)).map(nameIn)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('that time out close their connection, and later calls use a new one', async () => {
    await open(1, { timeoutMs: 60 });
    answer = (message) => (message.payload['correlation_id'] === 'late' ? null : named(message));
    expect(nameIn(await client.ask(headersEvent('late')))).toBe('timed_out');
    const peer = await agent.peer();
    await peer.closed();
    await eventually(() => client.status().connections === 1 && agent.peers.length === 2);
    expect(nameIn(await client.ask(headersEvent('next')))).toEqual({ kind: 'set', name: 'X-Id', value: 'next' });
  });

  it('that are cancelled close only their connection', async () => {
    await open(2);
    answer = (message) => (message.payload['correlation_id'] === 'gone' ? null : named(message));
    const gone = client.ask(headersEvent('gone'));
    await eventually(() => agent.peers.some(({ messages }) => messages.length === 2));
    client.cancel('gone', 'client_disconnect');
    expect(nameIn(await gone)).toBe('cancelled');
    expect(nameIn(await client.ask(headersEvent('kept')))).toEqual({ kind: 'set', name: 'X-Id', value: 'kept' });
    await eventually(() => agent.peers.length === 3 && client.status().connections === 2);
    expect(agent.peers.filter(({ isClosed }) => isClosed)).toHaveLength(1);
  });

  it('leave the agent reachable without log lines when many are cancelled', async () => {
    await open(2, { timeoutMs: 2_000, maxQueueDepth: 100 });
    answer = (message) => (`${message.payload['correlation_id']}`.startsWith('gone') ? null : named(message));
    for (let round = 0; round < 5; round += 1) {
      const gone = [0, 1].map((index) => client.ask(headersEvent(`gone-${round}-${index}`)));
      const kept = [0, 1].map((index) => client.ask(headersEvent(`kept-${round}-${index}`)));
      for (const index of [0, 1]) client.cancel(`gone-${round}-${index}`, 'client_disconnect');
      expect((await Promise.all(gone)).map(nameIn)).toEqual(['cancelled', 'cancelled']);
      expect((await Promise.all(kept)).map(nameIn)).toEqual(
        [0, 1].map((index) => ({ kind: 'set', name: 'X-Id', value: `kept-${round}-${index}` })),
      );
    }
    expect(logger.lines.map(({ message }) => message)).toEqual(['Agent connected']);
  });

  it('close their connection when a body is cancelled between two chunks, and later calls use a new one', async () => {
    await open(1);
    answer = (message) => named(message, { needs_more: message.event_type === 'request_headers' });
    await client.ask(headersEvent('gone'));
    client.cancel('gone', 'client_disconnect');
    const [first] = agent.peers;
    expect((await client.ask(headersEvent('next'))).ok).toBe(true);
    await first?.closed();
    expect(agent.peers).toHaveLength(2);
    expect(nameIn(await client.ask(chunkEvent('next')))).toEqual({ kind: 'set', name: 'X-Id', value: 'next' });
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0, connections: 1 });
  });

  it('send a body on the connection of its head', async () => {
    await open(4);
    answer = (message) => named(message, { needs_more: message.payload['is_last'] !== true });
    const ids = Array.from({ length: 12 }, (_, index) => `b${index}`);
    await Promise.all(
      ids.map(async (id) => {
        await client.ask(headersEvent(id));
        await client.ask(chunkEvent(id, { isLast: false, data: Buffer.from('x'), bytesReceived: 1 }));
        const last = await client.ask(chunkEvent(id, { chunkIndex: 1, bytesReceived: 1 }));
        expect(nameIn(last)).toEqual({ kind: 'set', name: 'X-Id', value: id });
      }),
    );
    for (const id of ids) {
      const having = agent.peers.filter(({ messages }) =>
        messages.some(({ payload }) => payload['correlation_id'] === id),
      );
      expect(having).toHaveLength(1);
    }
  });

  it('move to new connections for a new configuration without a loss', async () => {
    await open(2, { config: { colour: 'blue' } });
    const calls = Array.from({ length: 20 }, (_, index) => client.ask(headersEvent(`c${index}`)));
    await client.configure({ colour: 'red' });
    const after = await client.ask(headersEvent('after'));
    expect(nameIn(after)).toEqual({ kind: 'set', name: 'X-Id', value: 'after' });
    expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
    await eventually(() => client.status().connections === 2 && agent.peers.length === 4);
    const configs = agent.peers.map(({ messages }) => messages[0]?.payload['config']);
    expect(configs).toEqual([{ colour: 'blue' }, { colour: 'blue' }, { colour: 'red' }, { colour: 'red' }]);
  });
});
