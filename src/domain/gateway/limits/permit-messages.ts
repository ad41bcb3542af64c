/** How a worker stands with one key. */
export interface PermitReport {
  readonly key: string;
  /** What the worker takes for the limit. */
  readonly limit: number;
  /** Permits that it holds from now on; what it had beyond that it has given up. */
  readonly held: number;
  /** Those of them that are in use. */
  readonly used: number;
  /** Permits that it needs beyond those. */
  readonly wants: number;
  /** Whether the wants stay until they are met. Others are refused where they cannot be met. */
  readonly isPatient: boolean;
}

/** What a worker says in one message. */
export interface PermitReports {
  /** Number of the last message of the supervisor that had come when this was written. */
  readonly seen: number;
  /** It wants to be told of all keys that are contended: it has begun, or its limits have changed. */
  readonly isJoining: boolean;
  readonly reports: readonly PermitReport[];
}

/** What a worker is told of one key. */
export type PermitMessage =
  /** Static shares hold no more: report, and keep no more that is not in use than `slack` from now on. */
  | { readonly kind: 'recall'; readonly key: string; readonly slack: number }
  | { readonly kind: 'grant'; readonly key: string; readonly permits: number; readonly slack: number }
  /** None is free. `inUse`: those of all workers. What is wanted patiently is still wanted. */
  | { readonly kind: 'refused'; readonly key: string; readonly inUse: number }
  /** After a refusal: there may be some again. */
  | { readonly kind: 'available'; readonly key: string }
  /** How many that are not in use may be kept from now on. */
  | { readonly kind: 'slack'; readonly key: string; readonly slack: number }
  /** Nobody needs more than static shares any longer: they hold again. */
  | { readonly kind: 'released'; readonly key: string };

/** What the supervisor says in one message. */
export interface PermitWords {
  /** Rises with each message to this worker; from 1. */
  readonly number: number;
  /** What `isJoining` is answered with: every key that is contended. */
  readonly contended: readonly string[] | null;
  readonly words: readonly PermitMessage[];
}
