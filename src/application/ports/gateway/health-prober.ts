import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import type { Result } from '../../../domain/shared/result.js';

/** Whom a probe goes to. */
export interface ProbedTarget {
  /** An IP address. */
  readonly address: SocketAddress;
  /** `host:port` as the configuration has it. */
  readonly authority: string;
}

/** The error of a probe for which the process had no free file descriptor: it says nothing of the target. */
export const outOfDescriptors = 'too many open files';

/** Finds out whether a target is there. */
export interface HealthProber {
  /** Settles within the time-out, and never rejects. The error says why the target is not well; it holds no secret, and 200 characters at the most. */
  probe(target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>>;
}
