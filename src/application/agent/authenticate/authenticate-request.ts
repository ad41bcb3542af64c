import {
  type AuthenticationFailure,
  type FailureReason,
  moreTelling,
  type UndecidedReason,
} from '../../../domain/agent/identity/authentication-failure.js';
import {
  type AuthenticationMethod,
  type CredentialHeaders,
  comparePrecedence,
  type RequestCredentials,
  requestCredentials,
} from '../../../domain/agent/identity/request-credentials.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { AuthenticationCheck, CheckOutcome, KnownCredentials } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';

export type AuthenticationOutcome =
  | { readonly kind: 'authenticated'; readonly prepared: PreparedIdentity }
  | RefusedAuthentication
  /** Nobody waits for it any more. */
  | { readonly kind: 'cancelled' };

export interface RefusedAuthentication {
  readonly kind: 'refused';
  /** The one that tells the most; where a method could not decide, that. */
  readonly failure: AuthenticationFailure;
  /** Why a method could not decide; null where all could. The request may be good all the same. */
  readonly undecided: UndecidedReason | null;
  /** Why the bearer token is no good; null where none was shown. */
  readonly bearer: FailureReason | null;
  /** The scopes that a token would need; null but with the reason insufficient_scope. */
  readonly requiredScope: string | null;
  /** Users and passwords are configured, and the client has not chosen a bearer token. */
  readonly mayUseBasic: boolean;
}

interface TriedFailure extends AuthenticationFailure {
  readonly scope: string | null;
}

const showsBearer = ({ authorization }: RequestCredentials): boolean =>
  authorization?.scheme === 'bearer' || (authorization?.scheme === 'malformed' && authorization.of === 'bearer');

/** What the methods that were tried have come to, none of them to an identity. */
class Refusal {
  readonly #bearerShown: boolean;
  #failure: TriedFailure | null = null;
  #bearer: TriedFailure | null = null;
  #undecided: { readonly method: AuthenticationMethod; readonly reason: UndecidedReason } | null = null;

  constructor(bearerShown: boolean) {
    this.#bearerShown = bearerShown;
  }

  note({ method }: AuthenticationCheck, outcome: Exclude<CheckOutcome, { kind: 'authenticated' | 'cancelled' }>): void {
    if (outcome.kind === 'undecided') this.#undecided ??= { method, reason: outcome.reason };
    if (outcome.kind !== 'failed') return;
    const failure: TriedFailure = { method, reason: outcome.reason, scope: outcome.scope ?? null };
    this.#failure = moreTelling(this.#failure, failure);
    if (method === 'oidc' || method === 'jwt') this.#bearer = moreTelling(this.#bearer, failure);
  }

  outcome(hasBasic: boolean): RefusedAuthentication {
    const failure = this.#undecided ?? this.#failure ?? { method: null, reason: 'missing_credentials' as const };
    return {
      kind: 'refused',
      failure: { method: failure.method, reason: failure.reason },
      undecided: this.#undecided?.reason ?? null,
      // Where no method reads tokens, one that was shown is unknown as any other credential would be.
      bearer: this.#bearerShown ? (this.#bearer?.reason ?? 'unknown_credentials') : null,
      requiredScope: this.#undecided === null ? (this.#failure?.scope ?? null) : null,
      mayUseBasic: hasBasic && !this.#bearerShown,
    };
  }
}

const ambiguous = (mayUseBasic: boolean): RefusedAuthentication => ({
  kind: 'refused',
  failure: { method: null, reason: 'ambiguous_credentials' },
  undecided: null,
  bearer: null,
  requiredScope: null,
  mayUseBasic,
});

/** Tries every configured method in the order of precedence; the first that succeeds decides. */
export class AuthenticateRequest {
  readonly #checks: readonly AuthenticationCheck[];
  readonly #headers: CredentialHeaders;
  readonly #headersWithoutSession: CredentialHeaders;
  readonly #known: KnownCredentials | null;
  readonly #hasBasic: boolean;

  /** Names of headers may be in any case; the one of the cookie is as it is. */
  constructor(checks: readonly AuthenticationCheck[], headers: CredentialHeaders) {
    this.#checks = checks.toSorted((first, second) => comparePrecedence(first.method, second.method));
    this.#headers = {
      apiKey: headers.apiKey?.toLowerCase() ?? null,
      certificate: headers.certificate?.toLowerCase() ?? null,
      sessionCookie: headers.sessionCookie,
    };
    this.#headersWithoutSession = { ...this.#headers, sessionCookie: null };
    // All that know any share one memory.
    this.#known = checks.find(({ known }) => known !== undefined)?.known ?? null;
    this.#hasBasic = checks.some(({ method }) => method === 'basic');
  }

  /** @param readsSession whether a session counts that a cookie shows */
  authenticate(
    headers: HeaderList,
    cancellation: Cancellation,
    readsSession = true,
  ): MaybePromise<AuthenticationOutcome> {
    const names = readsSession ? this.#headers : this.#headersWithoutSession;
    const credentials = requestCredentials(headers, names, this.#known);
    if (!credentials.ok) return ambiguous(this.#hasBasic);
    return this.#tryFrom(0, credentials.value, cancellation, null);
  }

  /** @param refusal what the methods before have come to; null: none of them had a credential */
  #tryFrom(
    first: number,
    credentials: RequestCredentials,
    cancellation: Cancellation,
    refusal: Refusal | null,
  ): MaybePromise<AuthenticationOutcome> {
    let noted = refusal;
    for (let place = first; place < this.#checks.length; place += 1) {
      const check = this.#checks[place] as AuthenticationCheck;
      const pending = check.check(credentials, cancellation);
      if (pending instanceof Promise) {
        const before = noted;
        return pending.then((outcome) => {
          if (outcome.kind === 'authenticated' || outcome.kind === 'cancelled') return outcome;
          return this.#tryFrom(place + 1, credentials, cancellation, noteFailure(before, credentials, check, outcome));
        });
      }
      if (pending.kind === 'authenticated' || pending.kind === 'cancelled') return pending;
      noted = noteFailure(noted, credentials, check, pending);
    }
    return (noted ?? new Refusal(showsBearer(credentials))).outcome(this.#hasBasic);
  }
}

const noteFailure = (
  refusal: Refusal | null,
  credentials: RequestCredentials,
  check: AuthenticationCheck,
  outcome: Exclude<CheckOutcome, { kind: 'authenticated' | 'cancelled' }>,
): Refusal | null => {
  if (outcome.kind === 'absent') return refusal;
  const noted = refusal ?? new Refusal(showsBearer(credentials));
  noted.note(check, outcome);
  return noted;
};
