import { setImmediate } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { RecordingReportReader } from '../../../../support/gateway/recording-report-reader.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { socketClient } from '../../../../support/shared/agent-transports.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import {
  type RawAgent,
  type RawPeer,
  rawAgent,
  rawHandshakeAnswer,
} from '../../../../support/shared/raw-agent-peer.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

let path: string;
let logger: RecordingLogger;
it.beforeEach(({ cleanUp }) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  path = folder.file('agent.sock');
  logger = new RecordingLogger();
});

const listen = async (cleanUp: CleanUp, greet?: (peer: RawPeer) => void) => {
  const agent = await rawAgent(path, greet);
  cleanUp.add(() => agent.close());
  return agent;
};

const greet = (peer: RawPeer): void => {
  void peer.received(0x01).then(() => peer.send(0x02, rawHandshakeAnswer));
};

const start = (cleanUp: CleanUp, timeoutMs: number, connections: number) => {
  const client = socketClient(path, { timeoutMs }, { connections }, logger);
  cleanUp.add(() => client.stop(0));
  client.start();
  return client;
};

/** Another client comes back several times, each time after a longer wait; nobody else has come by then. */
const othersComeBack = async (cleanUp: CleanUp, agent: RawAgent, before: number): Promise<void> => {
  const other = socketClient(path, { config: { other: true } }, { connections: 1 }, new RecordingLogger());
  cleanUp.add(() => other.stop(0));
  other.start();
  const isOther = ({ frames: [handshake] }: RawPeer) => handshake?.payload.includes('"other":true') ?? false;
  for (let round = 1; round <= 4; round += 1) {
    await eventually(() => agent.peers.filter(isOther).length === round);
    agent.peers.filter(isOther).at(-1)?.socket.destroy();
  }
  expect(agent.peers.slice(before).filter((peer) => !isOther(peer))).toEqual([]);
};

/** Answers every event that has come and that comes. */
const answerAll = (peer: RawPeer): void => {
  const answered = new Set<string>();
  const answer = () => {
    for (const { code, payload } of peer.frames) {
      if (code !== 0x10) continue;
      const { correlation_id: id } = JSON.parse(payload) as { correlation_id: string };
      if (answered.has(id)) continue;
      answered.add(id);
      peer.send(0x20, { version: 2, decision: 'allow', audit: { custom: { correlation_id: id } } });
    }
  };
  peer.socket.on('data', answer);
  answer();
};

describe('a retired PooledAgentClient', () => {
  it('finishes its calls, accepts more, and makes no new connection or handshake', async ({ cleanUp }) => {
    const agent = await listen(cleanUp, greet);
    const client = start(cleanUp, 10_000, 2);
    await eventually(() => client.status().connections === 2);
    const underWay = client.ask(headersEvent('under-way'));
    await eventually(() => agent.peers.some(({ frames }) => frames.some(({ code }) => code === 0x10)));
    client.retire({ sameConfig: false, hasSuccessor: false });
    const later = client.ask(headersEvent('later'));
    for (const peer of agent.peers) answerAll(peer);
    expect([(await underWay).ok, (await later).ok]).toEqual([true, true]);
    for (const peer of agent.peers) peer.socket.destroy();
    await eventually(() => client.status().connections === 0);
    expect(await client.ask(headersEvent('last'))).toMatchObject({ ok: false, error: { code: 'unreachable' } });
    expect(logger.lines.map(({ message }) => message)).not.toContain('Agent unreachable');
    await othersComeBack(cleanUp, agent, 2);
  });

  it('cancels connection attempts, unless another client has the same configuration', async ({ cleanUp }) => {
    const agent = await listen(cleanUp, () => undefined);
    const [dropped, continued] = [start(cleanUp, 10_000, 1), start(cleanUp, 10_000, 1)];
    const calls = [dropped.ask(headersEvent('a')), continued.ask(headersEvent('b'))] as const;
    await eventually(() => agent.peers.length === 2 && agent.peers.every(({ frames }) => frames.length === 1));
    dropped.retire({ sameConfig: false, hasSuccessor: false });
    continued.retire({ sameConfig: true, hasSuccessor: true });
    expect(await calls[0]).toMatchObject({ ok: false, error: { code: 'unreachable' } });
    for (const peer of agent.peers) {
      peer.send(0x02, rawHandshakeAnswer);
      answerAll(peer);
    }
    expect((await calls[1]).ok).toBe(true);
    for (const peer of agent.peers) peer.socket.destroy();
    await eventually(() => continued.status().connections === 0);
    await othersComeBack(cleanUp, agent, 2);
  });

  it.for<[string, boolean, readonly string[]]>([
    ['says that its agent has ended with the last connection where nobody has taken its place', false, ['raw']],
    ['leaves that to the client that has taken its place', true, []],
  ])('%s', async ([_case, isSucceeded, endedIds], { cleanUp }) => {
    const agent = await listen(cleanUp, greet);
    const client = start(cleanUp, 10_000, 2);
    const reader = new RecordingReportReader();
    client.reportTo(reader);
    await eventually(() => client.status().connections === 2);
    client.retire({ sameConfig: false, hasSuccessor: isSucceeded });
    agent.peers[0]?.socket.destroy();
    await eventually(() => client.status().connections === 1);
    expect(reader.endedIds).toEqual([]);
    agent.peers[1]?.socket.destroy();
    await eventually(() => client.status().connections === 0);
    expect(reader.endedIds).toEqual(endedIds);
  });

  it('does not send its configuration if retired before it connects', async ({ cleanUp }) => {
    const agent = await listen(cleanUp, greet);
    const client = start(cleanUp, 10_000, 4);
    client.retire({ sameConfig: false, hasSuccessor: false });
    expect((await client.ask(headersEvent('a'))).ok).toBe(false);
    const witness = start(cleanUp, 10_000, 1);
    await eventually(() => witness.status().connections === 1);
    expect(agent.peers.filter(({ frames }) => frames.length > 0)).toHaveLength(1);
  });
});

describe('a PooledAgentClient over a socket', () => {
  it('writes no more than 500 characters of a refusal', async ({ cleanUp }) => {
    await listen(cleanUp, (peer) => {
      const error = 'x'.repeat(5_000);
      void peer.received(0x01).then(() => peer.send(0x02, { ...rawHandshakeAnswer, success: false, error }));
    });
    start(cleanUp, 10_000, 1);
    const refusals = () => logger.lines.filter(({ message }) => message === 'Agent refused');
    await eventually(() => refusals().length > 0);
    expect(refusals()[0]?.fields['reason']).toHaveLength(500);
  });

  it('does not connect to a path that no agent can own, and logs it once', async ({ cleanUp }) => {
    const owned = ['X-Mine', 'Host', 'cookie', 'Content_Type', 'Transfer-Encoding', 'Te', 'X-*', 'Con*', '*', 'X-My-*'];
    const capabilities = { ...rawHandshakeAnswer.capabilities, owned_headers: owned };
    await listen(cleanUp, (peer) => {
      void peer.received(0x01).then(() => peer.send(0x02, { ...rawHandshakeAnswer, capabilities }));
    });
    const client = start(cleanUp, 10_000, 3);
    await eventually(() => client.status().connections === 3);
    expect(client.capabilities()?.ownedHeaders).toEqual(['X-Mine', 'X-My-*']);
    expect(logger.lines.filter(({ message }) => message.includes('no agent can own'))).toHaveLength(1);
  });

  it('prefers a connection that answers to one with timeouts', async ({ cleanUp }) => {
    let silent: RawPeer | null = null;
    await listen(cleanUp, (peer) => {
      greet(peer);
      silent ??= peer;
      if (peer !== silent) answerAll(peer);
    });
    const client = start(cleanUp, 100, 2);
    await eventually(() => client.status().connections === 2);
    const ask = async (id: string) => (await client.ask(headersEvent(id))).ok;
    const first = ask('a');
    // What is asked at the same moment goes by the same connection.
    await setImmediate();
    const second = ask('b');
    expect([await first, await second].toSorted()).toEqual([false, true]);
    const later = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`later-${index}`)));
    expect(later).not.toContain(false);
  });
});
