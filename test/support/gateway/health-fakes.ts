import type { CheckedTarget } from '../../../src/application/gateway/check-health/watched-targets.js';
import type { HealthProber, ProbedTarget } from '../../../src/application/ports/gateway/health-prober.js';
import { initialHealth, type TargetHealth } from '../../../src/domain/gateway/health/target-health.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';
import { tcpAddress } from './tcp-address.js';

/** A check that has begun. */
interface HeldProbe {
  readonly target: ProbedTarget;
  readonly timeoutMs: number;
  readonly settle: (result: Result<void, string>) => void;
}

/** A prober whose checks end when a test says so. */
export class HeldProber implements HealthProber {
  /** Checks that are under way, in the order in which they began. */
  readonly underWay: HeldProbe[] = [];
  /** Hosts of all that were ever checked. */
  readonly begun: string[] = [];

  probe(target: ProbedTarget, _probe: unknown, timeoutMs: number): Promise<Result<void, string>> {
    this.begun.push(tcpAddress(target.address).host);
    return new Promise((settle) => this.underWay.push({ target, timeoutMs, settle }));
  }

  /** The check that has been under way for longest comes to something: null, all is well. */
  endFirst(error: string | null): void {
    this.underWay.shift()?.settle(error === null ? ok(undefined) : err(error));
  }
}

/** A target whose health is kept here. */
export class RecordedHealth implements CheckedTarget {
  readonly name: string;
  readonly target: ProbedTarget;
  current: TargetHealth = initialHealth;

  constructor(host: string, authority = `${host}:80`) {
    this.name = authority;
    this.target = { address: { host, port: 80 }, authority, tls: null };
  }

  health(): TargetHealth {
    return this.current;
  }

  update(next: TargetHealth): void {
    this.current = next;
  }
}
