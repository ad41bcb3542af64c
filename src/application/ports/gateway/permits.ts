import type { LimitsConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { PermitOutcome } from '../../../domain/gateway/limits/permit-holding.js';
import type { PermitKind } from '../../../domain/gateway/limits/permit-limits.js';

/** The permits of one key: what a limit counts, over all workers. */
export interface Permits {
  readonly limit: number;
  /** Those that this worker has taken. */
  readonly taken: number;
  /** Those that all workers have taken, as far as this one knows. */
  readonly takenByAll: number;
  /** Takes one where one is at hand. `unknown`: `ask`, or `want`, finds out. */
  take(): PermitOutcome;
  /** After `unknown`: whether one has been taken. Resolves in every case, at the latest after a quarter of a second. */
  ask(): Promise<boolean>;
  /** So many are waited for: `onChange` is called when it is worth to `take` again. Not together with `ask`. */
  want(count: number): void;
  /** Called when there may be permits that are wanted, and when it has become known that there are none. */
  onChange(listener: () => void): void;
  giveBack(): void;
  /** Whoever opened them takes none any more; those that are taken may yet be given back. */
  close(): void;
}

/** All permits. */
export interface PermitBook {
  /** How many share the limits. */
  readonly workers: number;
  /** What holds from now on. Whatever has a permit keeps it. */
  limit(limits: LimitsConfiguration): void;
  /** `subject`: which client, route or agent; empty where the kind has one key alone. */
  open(kind: PermitKind, subject: string): Permits;
}
