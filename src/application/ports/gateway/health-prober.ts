import type { StreamAddress } from '../../../domain/configuration/network-addresses.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import type { Result } from '../../../domain/shared/result.js';
import type { TargetTls } from './upstream-tls.js';

/** The target of a probe. */
export interface ProbedTarget {
  /** An IP address and a port, or a unix socket. */
  readonly address: StreamAddress;
  /** The Host of probes. */
  readonly authority: string;
  /** Null: plain connections. */
  readonly tls: TargetTls | null;
}

/** The error of a probe that found no free file descriptor. It says nothing about the target. */
export const outOfDescriptors = 'too many open files';

/** Probes the health of targets. */
export interface HealthProber {
  /**
   * Settles within the timeout; never rejects. The error says why the target is unhealthy, without
   * secrets, in at most 200 characters.
   */
  probe(target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>>;
}
