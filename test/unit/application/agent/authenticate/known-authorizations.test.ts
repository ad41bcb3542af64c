import { describe, expect, it } from 'vitest';
import { JoseVerificationKeys } from '../../../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js';
import { nodeCertificateFingerprints } from '../../../../../src/adapters/outbound/x509-certificates/certificate-fingerprints.js';
import { AuthenticateRequest } from '../../../../../src/application/agent/authenticate/authenticate-request.js';
import { CertificateBinding } from '../../../../../src/application/agent/authenticate/certificate-binding.js';
import { JwtCheck } from '../../../../../src/application/agent/authenticate/jwt-check.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import { VerifiedTokenCache } from '../../../../../src/application/agent/authenticate/verified-token-cache.js';
import { JwtTokens } from '../../../../../src/application/agent/verify-tokens/jwt-tokens.js';
import { TokenReader } from '../../../../../src/application/agent/verify-tokens/token-verdict.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { signToken } from '../../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const secret = 'a-secret-of-48-octets-that-nobody-else-has-at-all';

/** All that reads and judges the Authorization field, as it is configured in earnest. */
const made = async () => {
  const verifier = await new JoseVerificationKeys().prepare({ algorithm: 'HS256', secret: new Secret(secret) });
  if (!verifier.ok) throw new Error(verifier.error);
  const clock = new ManualClock();
  const check = new JwtCheck({
    tokens: new JwtTokens({
      algorithm: 'HS256',
      rules: { issuer: null, audiences: [], clockSkewMs: 0 },
      verifier: verifier.value,
      clock,
    }),
    reader: new TokenReader(),
    prepare: (identity) => preparedIdentity(identity, []),
    memory: new VerifiedTokenCache(clock, { maximumEntries: 10, maximumSize: 100_000 }),
    binding: new CertificateBinding(nodeCertificateFingerprints),
    proofs: { refusal: async () => null },
  });
  const authentication = new AuthenticateRequest([check], { apiKey: null, certificate: null, sessionCookieNames: [] });
  const authenticate = async (...values: readonly string[]) =>
    authentication.authenticate(
      values.flatMap((value) => ['authorization', value]),
      neverCancelled,
    );
  const token = signToken('HS256', secret, { sub: 'ann', exp: clock.seconds() + 300 });
  return { clock, authenticate, token };
};

describe('an Authorization field that was read before', () => {
  it('yields the identical identity, in any spelling of the scheme', async () => {
    const { authenticate, token } = await made();
    const first = await authenticate(`Bearer ${token}`);
    expect(first).toMatchObject({ kind: 'authenticated', prepared: { identity: { userId: 'ann' } } });
    for (const field of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`]) {
      const again = await authenticate(field);
      if (again.kind !== 'authenticated' || first.kind !== 'authenticated') throw new Error(again.kind);
      expect(again.prepared).toBe(first.prepared);
    }
  });

  it('does not match a field that only shares its beginning or end', async () => {
    const { authenticate, token } = await made();
    await authenticate(`Bearer ${token}`);
    for (const field of [
      `Bearer ${token} `,
      `Bearer ${token}=`,
      `Bearer ${token}, Basic YTpi`,
      `Bearer x${token}`,
      token,
    ]) {
      expect(await authenticate(field)).toMatchObject({ kind: 'refused' });
    }
  });

  it('is refused if repeated or beside another', async () => {
    const { authenticate, token } = await made();
    await authenticate(`Bearer ${token}`);
    const ambiguous = { kind: 'refused', failure: { reason: 'ambiguous_credentials' } };
    expect(await authenticate(`Bearer ${token}`, `Bearer ${token}`)).toMatchObject(ambiguous);
    expect(await authenticate(`Bearer ${token}`, 'Basic YTpi')).toMatchObject(ambiguous);
  });

  it('stays cached for the lifetime of its token', async () => {
    const { clock, authenticate, token } = await made();
    await authenticate(`Bearer ${token}`);
    clock.advance(299_999);
    expect(await authenticate(`Bearer ${token}`)).toMatchObject({ kind: 'authenticated' });
    clock.advance(1);
    expect(await authenticate(`Bearer ${token}`)).toMatchObject({ kind: 'refused', failure: { reason: 'expired' } });
  });
});
