import type { AttemptOutcome } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { TargetClient } from '../../ports/gateway/upstream-client.js';

/** The target of one attempt. */
export interface ChosenTarget {
  readonly kind: 'chosen';
  /** The address to connect to as `host:port`, for logs and admin answers. */
  readonly address: string;
  readonly client: TargetClient;
  /** Whether a name of the target has several addresses. */
  readonly hasSiblings: boolean;
  /**
   * Chooses the next address of the same name, in the order of RFC 8305. Skips `request.tried`. Null: no other address
   * accepts a request.
   *
   * @param mayQueue if every address is busy, chooses one where the request queues
   */
  next(request: BalancingRequest, mayQueue: boolean): ChosenTarget | null;
  /** Fields for the response, such as the sticky cookie; usually empty. */
  readonly responseHeaders: readonly string[];
  /**
   * Reports the head of a successful response, which ends an ejection at once, because the body may take hours. Call it
   * at most once, before `ended`.
   */
  answered(): void;
  /** Reports the end of the exchange. Call it once for every choice. `detail` describes a failure. */
  ended(outcome: AttemptOutcome, detail?: string): void;
}

/** The properties of a request that determine its target. */
export interface BalancingRequest {
  /** Address of the client. */
  readonly clientIp: string;
  readonly headers: readonly string[];
  /** Whether the client used https, for the sticky cookie. */
  readonly isSecure: boolean;
  /** Addresses of earlier attempts. The chooser skips them. */
  readonly tried: readonly string[];
}

export type TargetChoice =
  | ChosenTarget
  /** Every target is unhealthy, drained or ejected. */
  | { readonly kind: 'unhealthy'; readonly retryAfterSeconds: number }
  /** No target name has an address; `detail` states why. */
  | { readonly kind: 'unresolved'; readonly detail: string }
  /** After at least one attempt, no further target accepts a request. */
  | { readonly kind: 'exhausted' };

/** Chooses targets of one upstream. */
export interface TargetChooser {
  choose(request: BalancingRequest): TargetChoice;
  /** Whether the upstream has several targets. With one, no further attempt needs the request body. */
  readonly hasChoice: boolean;
  /** The timeout to connect, for all addresses of a name together; milliseconds. */
  readonly connectMs: number;
  /** Whether the upstream has a target, healthy or not, with an address that is not in `tried`. */
  hasOther(tried: readonly string[]): boolean;
}
