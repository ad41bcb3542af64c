import type { CheckedTarget } from '../../../src/application/gateway/check-health/watched-targets.js';
import type { ProbedTarget } from '../../../src/application/ports/gateway/health-prober.js';
import { initialHealth, type TargetHealth } from '../../../src/domain/gateway/health/target-health.js';

/** A target whose health is kept here. */
export class RecordedHealth implements CheckedTarget {
  readonly target: ProbedTarget;
  current: TargetHealth = initialHealth;

  constructor(host: string, authority = `${host}:80`) {
    this.target = { address: { host, port: 80 }, authority };
  }

  health(): TargetHealth {
    return this.current;
  }

  update(next: TargetHealth): void {
    this.current = next;
  }
}
