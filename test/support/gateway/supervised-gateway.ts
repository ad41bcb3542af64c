import { AuditTrail } from '../../../src/application/gateway/audit/audit-trail.js';
import type { SupervisedService } from '../../../src/application/gateway/workers/supervise/supervised-service.js';
import { supervisionTimes } from '../../../src/application/gateway/workers/supervise/supervision-times.js';
import { Supervisor } from '../../../src/application/gateway/workers/supervise/supervisor.js';
import type { LoadedConfiguration } from '../../../src/application/ports/gateway/configuration-source.js';
import type { TargetName } from '../../../src/application/ports/gateway/gateway-state.js';
import type { SharedSockets } from '../../../src/application/ports/gateway/listening-sockets.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { err, ok } from '../../../src/domain/shared/result.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { FakeWorkerProcesses } from './fake-worker-processes.js';
import { testConfiguration } from './in-process-gateway.js';
import { RecordingAuditLog } from './recording-audit-log.js';

/** Sockets that are bound nowhere. */
export class FakeSharedSockets implements SharedSockets {
  readonly opened: string[] = [];
  kept: ReadonlySet<string> | null = null;
  /** What `open` rejects with; null: nothing. */
  refusal: Error | null = null;

  async open(key: string, address: { readonly host: string; readonly port: number }) {
    if (this.refusal !== null) throw this.refusal;
    this.opened.push(key);
    return { address, listenable: { key }, fd: -1, close: () => undefined };
  }

  keep(keys: ReadonlySet<string>): void {
    this.kept = keys;
  }
}

/** A configuration of one text, as a source gives it. */
export const textConfiguration = (
  text: string,
  configuration: GatewayConfiguration = testConfiguration([]),
): LoadedConfiguration => ({ configuration, problems: [], texts: new Map([['gateway.kdl', text]]) });

/** A supervisor over fake processes, on a clock that a test moves. */
export const supervisedGateway = (workers = 2, services: readonly SupervisedService[] = []) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const processes = new FakeWorkerProcesses(scheduler);
  const logger = new RecordingLogger();
  const sockets = new FakeSharedSockets();
  const drainedTargets: TargetName[] = [];
  const reloads: string[] = [];
  const auditLogs: RecordingAuditLog[] = [];
  const audit = new AuditTrail({
    open: async ({ output }) => {
      if (output.kind === 'file') return err(`the audit log ${output.path} cannot be opened: it is a directory`);
      const log = new RecordingAuditLog();
      auditLogs.push(log);
      return ok(log);
    },
    clock,
    logger,
    worker: 0,
    version: '1.2.3',
  });
  /** The audit log so far, as event and outcome. */
  const audited = () => auditLogs.flatMap(({ records }) => records.map(({ event, outcome }) => `${event} ${outcome}`));
  const disk = { next: textConfiguration('one') };
  const supervisor = new Supervisor({
    processes,
    source: { load: async () => disk.next },
    sockets,
    services,
    clock,
    scheduler,
    logger,
    audit,
    times: supervisionTimes,
    order: {
      configFile: 'gateway.kdl',
      overrides: { workerThreads: null },
      log: { level: 'info', format: 'json', warning: null },
      startedAtMs: 5,
    },
    workers,
    cores: 2,
    drainedTargets: () => drainedTargets,
    reloaded: (outcome) => void reloads.push(outcome),
    logFailure: ({ worker, delayMs, failure }) =>
      logger.error(failure.reason ?? '', { worker, delay_ms: delayMs, error_type: 'worker_start_failed' }),
  });
  return {
    clock,
    scheduler,
    processes,
    logger,
    sockets,
    drainedTargets,
    reloads,
    auditLogs,
    audited,
    disk,
    supervisor,
  };
};
