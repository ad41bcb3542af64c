import { PrometheusGatewayMetrics } from '../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ConnectionRefusalCounter } from '../../../src/application/gateway/admit/connection-refusal-counter.js';
import { FloodLog, RefusalLog } from '../../../src/application/gateway/admit/flood-log.js';
import type { ConnectionAdmission } from '../../../src/application/ports/gateway/http-engine.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { RecordingLogger } from '../shared/recording-logger.js';

/** What refusals are made with, under a clock that the test moves. */
export class TestedRefusals {
  readonly logger = new RecordingLogger();
  readonly scheduler = new ManualScheduler(new ManualClock());
  readonly metrics = new PrometheusGatewayMetrics('test');
  readonly refusals = new ConnectionRefusalCounter(
    { uuid: () => 'an-id', token: () => 'token', fraction: () => 0, hex: (octets) => 'ab'.repeat(octets) },
    this.metrics,
    new RefusalLog(new FloodLog(this.logger, this.scheduler)),
  );
}

/** What was decided without asking anybody. */
export const atOnce = (admission: ConnectionAdmission | Promise<ConnectionAdmission>): ConnectionAdmission => {
  if (admission instanceof Promise) throw new Error('others are asked');
  return admission;
};

/** Ends a connection; one that was refused cannot end. */
export const release = (admission: ConnectionAdmission): void => {
  if (admission.kind === 'refused') throw new Error('the connection was refused');
  admission.release();
};
