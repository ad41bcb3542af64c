import type { AttemptOutcome } from '../../../domain/gateway/circuit-breaking/failure-classification.js';
import type { TargetClient } from '../../ports/gateway/upstream-client.js';

/** A target that a request is to be sent to. */
export interface ChosenTarget {
  readonly kind: 'chosen';
  /** `host:port` for logs and admin answers: the address that is connected to. */
  readonly address: string;
  readonly client: TargetClient;
  /** Fields for the response, as the cookie that keeps the client with this target; usually empty. */
  readonly responseHeaders: readonly string[];
  /**
   * The head of a good answer has come: enough for a target that is tried again after it failed, for the body may go on
   * for hours. May be called once, before `ended`.
   */
  answered(): void;
  /** Has to be called once for every choice, when the exchange with the target is over. `detail` says what failed. */
  ended(outcome: AttemptOutcome, detail?: string): void;
}

/** What a target is chosen by. */
export interface BalancingRequest {
  /** Of the client that the request comes from. */
  readonly clientIp: string;
  readonly headers: readonly string[];
  /** Whether the client spoke https, for the cookie. */
  readonly isSecure: boolean;
  /** Addresses that have failed the request already: they are not chosen again. */
  readonly tried: readonly string[];
}

export type TargetChoice =
  | ChosenTarget
  /** Every target is unhealthy, drained or ejected. */
  | { readonly kind: 'unhealthy'; readonly retryAfterSeconds: number }
  /** No name of a target has an address: `detail` says why. */
  | { readonly kind: 'unresolved'; readonly detail: string }
  /** All that are well have been tried. */
  | { readonly kind: 'exhausted' };

/** Chooses targets of one upstream. */
export interface TargetChooser {
  choose(wish: BalancingRequest): TargetChoice;
  /** Whether there may be more than one to choose from: else nothing needs to be kept for a second attempt. */
  readonly hasChoice: boolean;
  /** Whether there is a target, well or not, that none of these addresses is: those that there were may be gone. */
  hasOther(tried: readonly string[]): boolean;
}
