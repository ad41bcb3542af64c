import type { HeaderOperation } from '../../domain/agent-protocol/messages.js';
import type { FailureReason } from '../../domain/identity/authentication-failure.js';
import type { AuthenticationMethod } from '../../domain/identity/authentication-method.js';
import type { Identity } from '../../domain/identity/identity.js';
import type { RequestCredentials } from '../../domain/identity/request-credentials.js';

/** An identity with the headers that tell of it, made once and used for every request it makes. */
export interface PreparedIdentity {
  readonly identity: Identity;
  readonly operations: readonly HeaderOperation[];
}

export type CheckOutcome =
  /** The request shows no credential of this method. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'authenticated'; readonly prepared: PreparedIdentity }
  | { readonly kind: 'failed'; readonly reason: FailureReason };

export const absent: CheckOutcome = { kind: 'absent' };
export const failed = (reason: FailureReason): CheckOutcome => ({ kind: 'failed', reason });

/** One way to authenticate a request. */
export interface AuthenticationCheck {
  readonly method: AuthenticationMethod;
  /** Answers at once where it can. Never rejects. */
  check(credentials: RequestCredentials): CheckOutcome | Promise<CheckOutcome>;
}
