import type { LimitsConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { PermitOutcome } from '../../../domain/gateway/limits/held-permits.js';
import type { PermitKind } from '../../../domain/gateway/limits/permit-limits.js';

/** The permits of one key: what a limit counts over all workers. */
export interface Permits {
  readonly limit: number;
  /** Permits in use by this worker. */
  readonly taken: number;
  /** Permits in use by all workers, as far as known here. */
  readonly takenByAll: number;
  /** Takes a permit if one is available locally. `unknown`: use `ask` or `want`. */
  take(): PermitOutcome;
  /**
   * After `unknown`: requests a permit and returns whether it was granted. Always resolves, within
   * 250 ms.
   */
  ask(): Promise<boolean>;
  /**
   * Number of waiting requests: `onChange` is called when another `take` may succeed. Not together
   * with `ask`.
   */
  want(count: number): void;
  /**
   * Sets the listener: wanted permits may be available, or it has become known that there are none.
   */
  onChange(listener: () => void): void;
  giveBack(): void;
  /** No more permits will be taken. Permits in use can still be returned. */
  close(): void;
}

/** All permits of this process. */
export interface PermitBook {
  /** Number of workers that share the limits. */
  readonly workers: number;
  /** Sets new limits. Permits in use stay valid. */
  limit(limits: LimitsConfiguration): void;
  /** `subject`: the client, route or agent; empty if the kind has a single key. */
  open(kind: PermitKind, subject: string): Permits;
}
