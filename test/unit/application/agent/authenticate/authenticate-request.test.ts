import { describe, expect, it } from 'vitest';
import { AuthenticateRequest } from '../../../../../src/application/agent/authenticate/authenticate-request.js';
import {
  type AuthenticationCheck,
  absent,
  type CheckOutcome,
  failedCheck,
  undecided,
} from '../../../../../src/application/agent/authenticate/authentication-check.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import type { AuthenticationMethod } from '../../../../../src/domain/agent/identity/request-credentials.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const names = { apiKey: 'X-API-Key', certificate: 'X-Client-Cert', sessionCookieNames: ['session'] };
const check = (method: AuthenticationMethod, outcome: CheckOutcome, isLate = false): AuthenticationCheck => ({
  method,
  check: () => (isLate ? Promise.resolve(outcome) : outcome),
});
const identity = (method: AuthenticationMethod): CheckOutcome => ({
  kind: 'authenticated',
  prepared: preparedIdentity({ method, userId: 'u', claims: null, certificate: null }, []),
});
const bearer = ['authorization', 'Bearer abc'];
const lacksScope: CheckOutcome = { kind: 'failed', reason: 'insufficient_scope', scope: 'read write' };

const refusal = async (checks: readonly AuthenticationCheck[], headers: readonly string[] = bearer) => {
  const outcome = await new AuthenticateRequest(checks, names).authenticate(headers, neverCancelled);
  if (outcome.kind !== 'refused') throw new Error(outcome.kind);
  return outcome;
};

describe('AuthenticateRequest', () => {
  it('uses the first method that succeeds, in the order of precedence', async () => {
    const checks = [check('basic', identity('basic')), check('jwt', identity('jwt'), true), check('mtls', absent)];
    const outcome = await new AuthenticateRequest(checks, names).authenticate(bearer, neverCancelled);
    expect(outcome).toMatchObject({ kind: 'authenticated', prepared: { identity: { method: 'jwt' } } });
  });

  it('continues after an undecided method, and reports it if no method succeeds', async () => {
    const waiting = check('oidc', undecided('keys_unavailable'));
    const outcome = await new AuthenticateRequest([waiting, check('api_key', identity('api_key'))], names).authenticate(
      [],
      neverCancelled,
    );
    expect(outcome.kind).toBe('authenticated');
    expect(
      await refusal([waiting, check('jwt', failedCheck('expired')), check('basic', undecided('overloaded'))]),
    ).toMatchObject({
      failure: { method: 'oidc', reason: 'keys_unavailable' },
      undecided: 'keys_unavailable',
      requiredScope: null,
    });
  });

  it('passes the session cookie to the methods, unless the request must ignore it', async () => {
    const seen: (readonly string[])[] = [];
    const saml: AuthenticationCheck = {
      method: 'saml',
      check: ({ sessionCookies }) => {
        seen.push(sessionCookies);
        return sessionCookies.length === 0 ? absent : identity('saml');
      },
    };
    const headers = ['cookie', 'session=one', 'x-api-key', 'key'];
    const authentication = new AuthenticateRequest([saml, check('api_key', identity('api_key'))], names);
    const methodOf = async (readsSession?: boolean) => {
      const outcome = await authentication.authenticate(headers, neverCancelled, readsSession);
      return outcome.kind === 'authenticated' ? outcome.prepared.identity.method : outcome.kind;
    };
    expect(await methodOf()).toBe('saml');
    expect(await methodOf(true)).toBe('saml');
    expect(await methodOf(false)).toBe('api_key');
    expect(seen).toEqual([['one'], ['one'], []]);
  });

  it('reports the most specific failure', async () => {
    const tried = [check('oidc', failedCheck('unknown_issuer')), check('jwt', failedCheck('expired'), true)];
    expect(await refusal(tried)).toEqual({
      kind: 'refused',
      failure: { method: 'jwt', reason: 'expired' },
      undecided: null,
      bearer: 'expired',
      requiredScope: null,
      mayUseBasic: false,
    });
    expect((await refusal([check('api_key', absent)], [])).failure).toEqual({
      method: null,
      reason: 'missing_credentials',
    });
  });

  it("reports the token's failure, regardless of other failures", async () => {
    const tried = [check('mtls', failedCheck('certificate_not_allowed')), check('oidc', failedCheck('bad_signature'))];
    expect(await refusal(tried)).toMatchObject({
      failure: { method: 'mtls', reason: 'certificate_not_allowed' },
      bearer: 'bad_signature',
    });
    expect(await refusal([check('api_key', failedCheck('unknown_credentials'))])).toMatchObject({
      bearer: 'unknown_credentials',
    });
    expect((await refusal(tried, [])).bearer).toBeNull();
  });

  it('reports the missing scopes', async () => {
    const tried = [
      check('mtls', failedCheck('certificate_expired')),
      check('oidc', lacksScope),
      check('jwt', failedCheck('expired')),
    ];
    expect(await refusal(tried)).toMatchObject({
      failure: { method: 'oidc', reason: 'insufficient_scope' },
      requiredScope: 'read write',
    });
  });

  it('offers Basic if it is configured and no token was sent', async () => {
    const basic = check('basic', absent);
    expect((await refusal([basic], [])).mayUseBasic).toBe(true);
    expect((await refusal([basic], ['authorization', 'Digest x'])).mayUseBasic).toBe(true);
    expect((await refusal([basic], bearer)).mayUseBasic).toBe(false);
    expect((await refusal([basic], ['authorization', 'Bearer '])).mayUseBasic).toBe(false);
    expect((await refusal([check('jwt', absent)], [])).mayUseBasic).toBe(false);
  });

  it('reads the certificate from the configured header in any case, and refuses two', async () => {
    const seen: unknown[] = [];
    const mtls: AuthenticationCheck = {
      method: 'mtls',
      check: ({ certificate }) => {
        seen.push(certificate);
        return absent;
      },
    };
    await refusal([mtls], ['x-client-cert', 'pem']);
    expect(seen).toEqual([{ value: 'pem', chain: null }]);
    const twice = await refusal([mtls], ['x-client-cert', 'pem', 'X-Client-Cert', 'other']);
    expect(twice.failure.reason).toBe('ambiguous_credentials');
    expect(seen).toHaveLength(1);
  });
});
