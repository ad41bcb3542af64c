import { expect } from 'vitest';
import { deferRead, deferWrite } from '../../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { LegacyAgentConnector } from '../../../../../src/adapters/outbound/agent-legacy-client/legacy-agent-connector.js';
import { NodeScheduler } from '../../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { RecordingConnectionListener } from '../../../../support/gateway/recording-connection-listener.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import { passTime } from '../../../../support/shared/loop-turns.js';
import { legacyAllow, rawLegacyAgent } from '../../../../support/shared/raw-legacy-agent.js';

it('are handled and written before much later answers of an agent of the older framing', async ({
  cleanUp,
  folder,
}) => {
  const path = folder.file('agent.sock');
  const agent = await rawLegacyAgent(path);
  cleanUp.add(() => agent.close());
  const order: string[] = [];
  const listener = new RecordingConnectionListener();
  listener.whenAnswered = () => order.push('answer');
  const connector = new LegacyAgentConnector(
    { name: 'waf', path, owner: null, events: ['request_headers'] },
    { scheduler: new NodeScheduler() },
  );
  const connection = connector.connect(null, listener);
  cleanUp.add(() => connection.close('the test is over'));
  await listener.ready();
  const peer = await agent.peer();
  connection.sendEvent(headersEvent('a'));
  await peer.received(2);
  // From a timer, behind which the loop reads before it comes to the end of its turn.
  setTimeout(() => {
    peer.send(legacyAllow);
    deferRead({ handleNow: () => order.push('request') });
    deferWrite({ writeNow: () => order.push('write') });
    passTime();
  });
  await eventually(() => order.length === 3);
  expect(order).toEqual(['request', 'write', 'answer']);
});
