import {
  type AuthenticationFailure,
  type FailureReason,
  moreUsefulFailure,
  type UndecidedReason,
} from '../../../domain/agent/identity/authentication-failure.js';
import {
  type AuthenticationMethod,
  type CredentialHeaders,
  comparePrecedence,
  lowerCaseHeaders,
  type RequestCredentials,
  requestCredentials,
  showsBearer,
} from '../../../domain/agent/identity/request-credentials.js';
import type { ProvenRequest } from '../../../domain/agent/tokens/dpop-proof.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { InsufficientSession } from '../sessions/step-up-rules.js';
import type { AcceptedCredential, AuthenticationCheck, CheckOutcome, CredentialCache } from './authentication-check.js';

export type AuthenticationOutcome =
  | ({ readonly kind: 'authenticated' } & AcceptedCredential)
  | RefusedAuthentication
  /** The caller cancelled. */
  | { readonly kind: 'cancelled' };

export interface RefusedAuthentication {
  readonly kind: 'refused';
  /** The most specific failure; a method that could not decide takes precedence. */
  readonly failure: AuthenticationFailure;
  /** Why a method could not decide; null if all could. The request may be valid. */
  readonly undecided: UndecidedReason | null;
  /** Why the token is invalid, wherever it is in the request; null without a token. */
  readonly bearer: FailureReason | null;
  /** The required scopes; null unless the reason is insufficient_scope. */
  readonly requiredScope: string | null;
  /** Basic authentication is configured, and Authorization has no bearer token. */
  readonly mayUseBasic: boolean;
  /** `shown`: the client used the scheme DPoP; `offered`: it should. Absent: a DPoP challenge does not help. */
  readonly proof?: 'shown' | 'offered';
  /** The session that does not suffice; only with the reason insufficient_user_authentication. */
  readonly insufficient?: InsufficientSession;
}

interface TriedFailure extends AuthenticationFailure {
  readonly scope: string | null;
  readonly insufficient?: InsufficientSession | undefined;
}

interface Attempt {
  readonly credentials: RequestCredentials;
  readonly cancellation: Cancellation;
  readonly request: ProvenRequest | null;
}

const proofMember = (isShown: boolean, isOffered: boolean): Pick<RefusedAuthentication, 'proof'> => {
  if (isShown) return { proof: 'shown' };
  return isOffered ? { proof: 'offered' } : {};
};

const isAboutProof = (reason: FailureReason | undefined): boolean =>
  reason === 'bound_token_as_bearer' || reason === 'unbound_token';

/** Collects the failures of the methods that were tried. */
class Refusal {
  readonly #tokenShown: boolean;
  readonly #mayUseBasic: boolean;
  readonly #isProofShown: boolean;
  #failure: TriedFailure | null = null;
  #bearer: TriedFailure | null = null;
  #undecided: { readonly method: AuthenticationMethod; readonly reason: UndecidedReason } | null = null;

  constructor(credentials: RequestCredentials) {
    const isBearer = showsBearer(credentials);
    this.#mayUseBasic = !isBearer;
    const { authorization } = credentials;
    this.#isProofShown =
      authorization?.scheme === 'dpop' || (authorization?.scheme === 'malformed' && authorization.of === 'dpop');
    this.#tokenShown = isBearer || credentials.placedToken !== undefined;
  }

  note(
    { method, isSession }: AuthenticationCheck,
    outcome: Exclude<CheckOutcome, { kind: 'authenticated' | 'cancelled' }>,
  ): void {
    if (outcome.kind === 'undecided') this.#undecided ??= { method, reason: outcome.reason };
    if (outcome.kind !== 'failed') return;
    const { reason, scope = null, insufficient } = outcome;
    const failure: TriedFailure = { method, reason, scope, insufficient };
    this.#failure = moreUsefulFailure(this.#failure, failure);
    const isBearer = (method === 'oidc' || method === 'jwt') && isSession !== true;
    if (isBearer) this.#bearer = moreUsefulFailure(this.#bearer, failure);
  }

  outcome(hasBasic: boolean, offersProof: boolean): RefusedAuthentication {
    const insufficient = this.#undecided === null ? this.#failure?.insufficient : undefined;
    const failure = this.#undecided ?? this.#failure ?? { method: null, reason: 'missing_credentials' as const };
    return {
      kind: 'refused',
      failure: { method: failure.method, reason: failure.reason },
      undecided: this.#undecided?.reason ?? null,
      // If no method reads tokens, a token is an unknown credential.
      bearer: this.#tokenShown ? (this.#bearer?.reason ?? 'unknown_credentials') : null,
      requiredScope: this.#undecided === null ? (this.#failure?.scope ?? null) : null,
      mayUseBasic: hasBasic && this.#mayUseBasic,
      ...proofMember(this.#isProofShown, offersProof || isAboutProof(this.#bearer?.reason)),
      ...(insufficient !== undefined && { insufficient }),
    };
  }
}

const ambiguous = (mayUseBasic: boolean, offersProof: boolean): RefusedAuthentication => ({
  kind: 'refused',
  failure: { method: null, reason: 'ambiguous_credentials' },
  undecided: null,
  bearer: null,
  requiredScope: null,
  mayUseBasic,
  ...proofMember(false, offersProof),
});

/** Tries all configured methods in order of precedence. The first success decides. */
export class AuthenticateRequest {
  readonly #checks: readonly AuthenticationCheck[];
  readonly #headers: CredentialHeaders;
  readonly #headersWithoutSession: CredentialHeaders;
  readonly #known: CredentialCache | null;
  readonly #hasBasic: boolean;
  readonly #offersProof: boolean;

  /**
   * Header names are case-insensitive; the cookie names are case-sensitive.
   *
   * @param offersProof whether some provider requires DPoP
   */
  constructor(checks: readonly AuthenticationCheck[], headers: CredentialHeaders, offersProof = false) {
    this.#offersProof = offersProof;
    this.#checks = checks.toSorted((first, second) => comparePrecedence(first.method, second.method));
    this.#headers = lowerCaseHeaders(headers);
    this.#headersWithoutSession = { ...this.#headers, sessionCookieNames: [] };
    // All checks that cache credentials share one cache.
    this.#known = checks.find(({ known }) => known !== undefined)?.known ?? null;
    this.#hasBasic = checks.some(({ method }) => method === 'basic');
  }

  /** @param readsSession whether to accept a session cookie */
  authenticate(
    headers: HeaderList,
    cancellation: Cancellation,
    readsSession = true,
    request: ProvenRequest | null = null,
  ): MaybePromise<AuthenticationOutcome> {
    const names = readsSession ? this.#headers : this.#headersWithoutSession;
    const credentials = requestCredentials(headers, names, this.#known);
    if (!credentials.ok) return ambiguous(this.#hasBasic, this.#offersProof);
    return this.#tryFrom(0, { credentials: credentials.value, cancellation, request }, null);
  }

  /** @param refusal the failures so far; null: no method had a credential */
  #tryFrom(first: number, attempt: Attempt, refusal: Refusal | null): MaybePromise<AuthenticationOutcome> {
    const { credentials, cancellation, request } = attempt;
    let noted = refusal;
    for (let place = first; place < this.#checks.length; place += 1) {
      const check = this.#checks[place] as AuthenticationCheck;
      const pending = check.check(credentials, cancellation, request);
      if (pending instanceof Promise) {
        const before = noted;
        return pending.then((outcome) => {
          if (outcome.kind === 'authenticated' || outcome.kind === 'cancelled') return outcome;
          return this.#tryFrom(place + 1, attempt, noteFailure(before, credentials, check, outcome));
        });
      }
      if (pending.kind === 'authenticated' || pending.kind === 'cancelled') return pending;
      noted = noteFailure(noted, credentials, check, pending);
    }
    return (noted ?? new Refusal(credentials)).outcome(this.#hasBasic, this.#offersProof);
  }
}

const noteFailure = (
  refusal: Refusal | null,
  credentials: RequestCredentials,
  check: AuthenticationCheck,
  outcome: Exclude<CheckOutcome, { kind: 'authenticated' | 'cancelled' }>,
): Refusal | null => {
  if (outcome.kind === 'absent') return refusal;
  const noted = refusal ?? new Refusal(credentials);
  noted.note(check, outcome);
  return noted;
};
