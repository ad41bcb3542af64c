import { expect } from 'vitest';
import { deferRead } from '../../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { ConnectionRecord } from '../../../../support/gateway/connection-record.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import { grpcConnector } from '../../../../support/shared/grpc-connections.js';
import { passTime } from '../../../../support/shared/loop-turns.js';
import { RawGrpcAgent } from '../../../../support/shared/raw-grpc-agent.js';

it('are handled between gRPC answers of one read once they have waited for long', async ({ cleanUp }) => {
  const agent = await RawGrpcAgent.open();
  cleanUp.add(() => agent.close());
  const order: string[] = [];
  const told = new (class extends ConnectionRecord {
    override onAnswer(...args: Parameters<ConnectionRecord['onAnswer']>): void {
      super.onAnswer(...args);
      const [id] = args;
      order.push(id);
      deferRead({ handleNow: () => order.push(`request behind ${id}`) });
      passTime();
    }
  })();
  const connection = grpcConnector(agent.address).connect(null, told);
  cleanUp.add(() => connection.close('the test is over'));
  const stream = await agent.greeted();
  await told.isReady();
  const ids = ['a', 'b', 'c'];
  for (const id of ids) connection.sendEvent(headersEvent(id));
  await stream.first((message) => (message.request_headers?.metadata?.correlation_id === 'c' ? message : null));
  for (const id of ids) stream.send({ response: { correlation_id: id, allow: {} } });
  await eventually(() => order.length === 6);
  expect(order).toEqual(['a', 'request behind a', 'b', 'request behind b', 'c', 'request behind c']);
});
