import { pathToFileURL } from 'node:url';
import { describe, expect } from 'vitest';
import { SystemClock } from '../../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeListeningSockets } from '../../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import { NodeScheduler } from '../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { AuditTrail } from '../../../../src/application/gateway/audit/audit-trail.js';
import { PermitCoordinator } from '../../../../src/application/gateway/workers/share-permits/permit-coordinator.js';
import { auditLogs } from '../../../../src/bootstrap/gateway/audit-logs.js';
import { startSupervised } from '../../../../src/bootstrap/gateway/supervise-gateway.js';
import { configurationFile } from '../../../../src/bootstrap/shared/configuration-file.js';
import { RecordingAuditLog } from '../../../support/gateway/recording-audit-log.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';
import { call } from '../../../support/shared/http-call.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';
import { builtProgram } from '../../../support/shared/running-gateway.js';
import { isAlive } from '../../../support/shared/successors.js';

describe('a worker with a blocked event loop', () => {
  it('is killed after the deadline without a heartbeat, and replaced', async ({ cleanUp, folder }) => {
    const configFile = folder.write(
      'gateway.kdl',
      `listeners { listener "main" { address "127.0.0.1:0" } }
       routes { route "all" { matches { path-prefix "/" }; service-type "builtin"; builtin-handler "version" } }`,
    );
    const source = configurationFile(configFile);
    const [logger, clock] = [new RecordingLogger(), new SystemClock()];
    const started = await startSupervised({
      configFile,
      overrides: { workerThreads: null },
      log: { level: 'warn', format: 'json', warning: null },
      source,
      first: await source.load(),
      workers: 1,
      cores: 1,
      sockets: new NodeListeningSockets(),
      logger,
      services: [new PermitCoordinator(1, clock, new NodeScheduler())],
      drainedTargets: () => [],
      reloaded: () => undefined,
      audit: new AuditTrail({
        open: auditLogs(() => new RecordingAuditLog(), logger),
        clock,
        logger,
        worker: 0,
        version: '1',
      }),
      logFailure: () => undefined,
      program: pathToFileURL(builtProgram('main-gateway-worker')),
      // Long enough for a worker that is only kept from the processor.
      times: { heartbeatEveryMs: 100, heartbeatDeadlineMs: 1_500, lastHeartbeatMs: 500 },
    });
    if (!started.ok) throw new Error(started.error.problems.join('\n'));
    const { supervisor, addresses, stop } = started.value;
    cleanUp.add(() => stop(0));
    const port = addresses.listeners.get('main')?.port ?? 0;
    expect((await call(port)).status).toBe(200);
    const hanging = supervisor.workers()[0]?.pid ?? 0;
    process.kill(hanging, 'SIGSTOP');
    // It waits in the system's queue until somebody serves again.
    const asked = call(port);
    await eventually(() => logger.lines.some(({ message }) => message === 'a new worker serves'));
    expect(isAlive(hanging)).toBe(false);
    expect((await asked).status).toBe(200);
    expect(supervisor.workers()[0]?.pid).not.toBe(hanging);
    expect(logger.lines.find(({ level }) => level === 'error')).toMatchObject({
      message: 'a worker does not answer and is killed',
      fields: { worker: 1, pid: hanging, error_type: 'worker_hangs' },
    });
  });
});
