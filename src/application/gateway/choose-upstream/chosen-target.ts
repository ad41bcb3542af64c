import type { AttemptOutcome } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { TargetClient } from '../../ports/gateway/upstream-client.js';

/** The target that was chosen for a request. */
export interface ChosenTarget {
  readonly kind: 'chosen';
  /** The address to connect to as `host:port`, for logs and admin answers. */
  readonly address: string;
  readonly client: TargetClient;
  /** Whether a name of the target has several addresses. */
  readonly hasSiblings: boolean;
  /**
   * Chooses the next address of the same name, in the order of RFC 8305; null: no other accepts a request. Skips
   * `request.tried`.
   *
   * @param mayQueue if no other accepts the request, takes an address whose connections are all busy
   */
  next(request: BalancingRequest, mayQueue: boolean): ChosenTarget | null;
  /** Fields for the response, such as the sticky cookie; usually empty. */
  readonly responseHeaders: readonly string[];
  /**
   * Reports the head of a successful response. That suffices to end an ejection, because the body may take hours. Call
   * it at most once, before `ended`.
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
  /** Addresses of earlier attempts, which are not chosen again. */
  readonly tried: readonly string[];
}

export type TargetChoice =
  | ChosenTarget
  /** Every target is unhealthy, drained or ejected. */
  | { readonly kind: 'unhealthy'; readonly retryAfterSeconds: number }
  /** No target name has an address; `detail` states why. */
  | { readonly kind: 'unresolved'; readonly detail: string }
  /** All healthy targets have been tried. */
  | { readonly kind: 'exhausted' };

/** Chooses targets of one upstream. */
export interface TargetChooser {
  choose(request: BalancingRequest): TargetChoice;
  /** Whether there are several targets. With one, the request body need not be kept for another attempt. */
  readonly hasChoice: boolean;
  /** The time to open a connection, for all addresses of a name together; milliseconds. */
  readonly connectMs: number;
  /** Whether a target exists, healthy or not, that has none of these addresses. */
  hasOther(tried: readonly string[]): boolean;
}
