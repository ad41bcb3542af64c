import type { HeaderList } from '../../domain/http/header-list.js';
import type { AuthenticationFailure } from '../../domain/identity/authentication-failure.js';
import { comparePrecedence } from '../../domain/identity/authentication-method.js';
import { requestCredentials } from '../../domain/identity/request-credentials.js';
import type { AuthenticationCheck, PreparedIdentity } from './authentication-check.js';

export type AuthenticationOutcome =
  | { readonly kind: 'authenticated'; readonly prepared: PreparedIdentity }
  /** The failure is that of the method tried first; the challenge says more where a bearer token was shown. */
  | { readonly kind: 'refused'; readonly failure: AuthenticationFailure; readonly bearerShown: boolean };

/** Tries every configured method in the order of precedence; the first that succeeds decides. */
export class AuthenticateRequest {
  readonly #checks: readonly AuthenticationCheck[];
  readonly #apiKeyHeader: string;

  constructor(checks: readonly AuthenticationCheck[], apiKeyHeader: string) {
    this.#checks = checks.toSorted((first, second) => comparePrecedence(first.method, second.method));
    this.#apiKeyHeader = apiKeyHeader.toLowerCase();
  }

  async authenticate(headers: HeaderList): Promise<AuthenticationOutcome> {
    const credentials = requestCredentials(headers, this.#apiKeyHeader);
    if (!credentials.ok) {
      return { kind: 'refused', failure: { method: null, reason: credentials.error }, bearerShown: false };
    }
    let failure: AuthenticationFailure | null = null;
    for (const check of this.#checks) {
      const pending = check.check(credentials.value);
      // Most checks answer at once: waiting for them would cost each request a turn of the queue.
      const outcome = pending instanceof Promise ? await pending : pending;
      if (outcome.kind === 'authenticated') return outcome;
      if (outcome.kind === 'failed') failure ??= { method: check.method, reason: outcome.reason };
    }
    const { authorization } = credentials.value;
    return {
      kind: 'refused',
      failure: failure ?? { method: null, reason: 'missing_credentials' },
      bearerShown:
        authorization?.scheme === 'bearer' || (authorization?.scheme === 'malformed' && authorization.of === 'bearer'),
    };
  }
}
