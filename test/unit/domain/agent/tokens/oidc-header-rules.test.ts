import { describe, expect, it } from 'vitest';
import { checkOidcHeader, isAccessTokenType } from '../../../../../src/domain/agent/tokens/oidc-header-rules.js';
import { asymmetricAlgorithms } from '../../../../../src/domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const rejection = (error: string) => ({ ok: false, error });

describe('checkOidcHeader', () => {
  it.each(asymmetricAlgorithms)('accepts %s', (algorithm) => {
    expect(checkOidcHeader({ alg: algorithm, kid: 'one' })).toEqual({ ok: true, value: { kid: 'one', algorithm } });
    expect(checkOidcHeader({ alg: algorithm })).toEqual({ ok: true, value: { kid: null, algorithm } });
  });

  it('treats Ed25519 as EdDSA with that curve', () => {
    expect(checkOidcHeader({ alg: 'Ed25519', kid: 'one' })).toEqual({
      ok: true,
      value: { kid: 'one', algorithm: 'EdDSA' },
    });
  });

  it.each([undefined, 'none', 'None', 'HS256', 'HS512', 'rs256', 'ES256K', 'Ed448', 'ed25519', null, 7, ['RS256']])(
    'refuses the algorithm %s',
    (alg) => {
      const header: JsonObject = alg === undefined ? {} : { alg };
      expect(checkOidcHeader(header)).toEqual(rejection('wrong_algorithm'));
    },
  );

  it.each(['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/At+Jwt'])(
    'accepts the type %s',
    (typ) => {
      expect(checkOidcHeader({ alg: 'RS256', typ }).ok).toBe(true);
    },
  );

  it.each(['', 'logout+jwt', 'dpop+jwt', 'secevent+jwt', 'JOSE', 'jwt ', 'rt+jwt', null, 7, ['JWT']])(
    'refuses the type %s',
    (typ) => {
      expect(checkOidcHeader({ alg: 'RS256', typ })).toEqual(rejection('wrong_type'));
    },
  );

  it('refuses all critical extensions', () => {
    expect(checkOidcHeader({ alg: 'RS256', crit: [] })).toEqual(rejection('critical_header'));
    expect(checkOidcHeader({ alg: 'RS256', crit: null })).toEqual(rejection('critical_header'));
  });

  it('refuses a kid that is not a string', () => {
    for (const kid of [7, null, ['one'], { one: 1 }]) {
      expect(checkOidcHeader({ alg: 'RS256', kid })).toEqual(rejection('malformed'));
    }
  });
});

describe('isAccessTokenType', () => {
  it.each<[unknown, boolean]>([
    ['at+jwt', true],
    ['AT+JWT', true],
    ['application/at+jwt', true],
    ['JWT', false],
    ['', false],
    ['at+jwt ', false],
    [['at+jwt'], false],
    [null, false],
  ])('maps typ %j to %s', (typ, isOne) => {
    expect(isAccessTokenType({ alg: 'ES256', typ } as JsonObject)).toBe(isOne);
  });

  it('is false without typ', () => {
    expect(isAccessTokenType({ alg: 'ES256' })).toBe(false);
  });
});
