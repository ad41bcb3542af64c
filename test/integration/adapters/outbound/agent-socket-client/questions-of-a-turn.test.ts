import { expect } from 'vitest';
import { deferRead, deferWrite } from '../../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { SocketAgentConnector } from '../../../../../src/adapters/outbound/agent-socket-client/socket-agent-connector.js';
import { SystemClock } from '../../../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { AgentConnection } from '../../../../../src/application/ports/gateway/agent-connector.js';
import { testSocketLayers } from '../../../../support/gateway/socket-layers.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import { endOfTurn, passTime } from '../../../../support/shared/loop-turns.js';
import { rawAgent } from '../../../../support/shared/raw-agent-peer.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const nothing = (): void => undefined;

/** Connected; `onAnswer` is called with each answer. */
const start = async (cleanUp: CleanUp, onAnswer: (correlationId: string) => void = nothing) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const path = folder.file('agent.sock');
  const agent = await rawAgent(path);
  cleanUp.add(() => agent.close());
  let isReady = false;
  const connector = new SocketAgentConnector(
    { path, owner: null, proxyId: 'test', proxyVersion: '0' },
    { clock: new SystemClock(), scheduler: new NodeScheduler(), layers: testSocketLayers },
  );
  const connection: AgentConnection = connector.connect(null, {
    onReady: () => {
      isReady = true;
    },
    onAnswer,
    onLogLine: nothing,
    onHealth: nothing,
    onMetrics: nothing,
    onUnreadableReport: nothing,
    onConfigUpdate: nothing,
    onFlowControl: nothing,
    onRoom: nothing,
    onEnd: nothing,
  });
  cleanUp.add(() => connection.close('the test is over'));
  await eventually(() => isReady);
  const [peer] = agent.peers;
  if (peer === undefined) throw new Error('nobody has connected');
  return { connection, peer };
};

it('are sent together at the end of the turn, before other reads', async ({ cleanUp }) => {
  const { connection, peer } = await start(cleanUp);
  const gathering: boolean[] = [];
  for (const id of ['a', 'b']) {
    deferRead({
      handleNow: () => {
        connection.sendEvent(headersEvent(id));
        gathering.push(connection.isGathering === true);
      },
    });
  }
  await endOfTurn();
  expect([gathering, connection.isGathering]).toEqual([[true, true], false]);
  await eventually(() => peer.frames.filter(({ code }) => code === 0x10).length === 2);
});

it('are answered in order, with long-waiting writes in between', async ({ cleanUp }) => {
  const order: string[] = [];
  const { connection, peer } = await start(cleanUp, (id) => {
    order.push(id);
    deferWrite({ writeNow: () => void order.push(`written for ${id}`) });
    passTime();
  });
  const ids = ['a', 'b', 'c'];
  for (const id of ids) connection.sendEvent(headersEvent(id));
  await eventually(() => peer.frames.filter(({ code }) => code === 0x10).length === ids.length);
  peer.socket.cork();
  for (const id of ids) peer.send(0x20, { version: 2, decision: 'allow', audit: { custom: { correlation_id: id } } });
  peer.socket.uncork();
  await eventually(() => order.length === 6);
  expect(order).toEqual(['a', 'written for a', 'b', 'written for b', 'c', 'written for c']);
});

it('get no answer after a waiting write ends the connection', async ({ cleanUp }) => {
  const told: string[] = [];
  const { connection, peer } = await start(cleanUp, (id) => {
    told.push(id);
    deferWrite({ writeNow: () => connection.close('what was written has ended it') });
    passTime();
  });
  for (const id of ['a', 'b']) connection.sendEvent(headersEvent(id));
  await eventually(() => peer.frames.filter(({ code }) => code === 0x10).length === 2);
  peer.socket.cork();
  for (const id of ['a', 'b']) {
    peer.send(0x20, { version: 2, decision: 'allow', audit: { custom: { correlation_id: id } } });
  }
  peer.socket.uncork();
  await eventually(() => peer.socket.destroyed);
  expect(told).toEqual(['a']);
});
