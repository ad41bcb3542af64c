/**
 * Why a token was not verified. `invalid`: it is not accepted, now or ever; `overloaded`: too much is under way; `keys_unavailable`: the keys
 * that it could be signed with are not here; `provider_unavailable`: the identity provider is not known yet; `store_unavailable`: it cannot be
 * told whether it comes for the first time, or what it was checked against is not to be had; `cancelled`: nobody waits for the outcome.
 */
export type TokenFaultKind =
  | 'invalid'
  | 'overloaded'
  | 'keys_unavailable'
  | 'provider_unavailable'
  | 'store_unavailable'
  | 'cancelled';

/** A token that is not known to be good. */
export interface TokenFault {
  readonly kind: TokenFaultKind;
  /** A stable word or a clause of ours, for the log and never for the client; nothing of the token is in it. */
  readonly detail: string;
}
