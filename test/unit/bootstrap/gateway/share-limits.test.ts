import { expect, it } from 'vitest';
import { deferRead } from '../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { NodeScheduler } from '../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { WorkerChannel } from '../../../../src/application/shared/worker-channel/worker-channel.js';
import { gatewayTokens } from '../../../../src/bootstrap/gateway/gateway-tokens.js';
import { shareLimitsInWorker } from '../../../../src/bootstrap/gateway/gateway-worker.js';
import { gatewayContainer } from '../../../../src/bootstrap/gateway/start-gateway.js';
import { testConfiguration } from '../../../support/gateway/in-process-gateway.js';
import { linkedPair } from '../../../support/gateway/linked-pair.js';
import { RecordingAuditLog } from '../../../support/gateway/recording-audit-log.js';
import { endOfTurn } from '../../../support/shared/loop-turns.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';

it('of a worker are asked for at the end of the turn in which the requests are handled, together', async () => {
  const container = gatewayContainer(
    'gateway.kdl',
    { load: async () => ({ configuration: testConfiguration([]), problems: [] }) },
    {
      logger: new RecordingLogger(),
      accessLog: { isOn: true, write: () => undefined },
      droppedAccessLines: () => 0,
      auditOutput: () => new RecordingAuditLog(),
    },
  );
  const [supervisor, worker] = linkedPair();
  shareLimitsInWorker(container, new WorkerChannel(worker, new NodeScheduler(), () => undefined), 2);
  const rates = container.get(gatewayTokens.localRateLimits);
  const sentWhileHandled: number[] = [];
  for (const key of ['a', 'b']) {
    deferRead({
      handleNow: () => {
        void rates.take([{ space: 'client', key, limit: { requestsPerSecond: 1, burst: 1 } }]);
        sentWhileHandled.push(worker.sent.length);
      },
    });
  }
  await endOfTurn();
  expect([sentWhileHandled, worker.sent.length]).toEqual([[0, 0], 1]);
  supervisor.close();
});
