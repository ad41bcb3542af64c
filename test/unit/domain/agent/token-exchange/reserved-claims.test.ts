import { describe, expect, it } from 'vitest';
import { grantExchange } from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import { reservedClaims } from '../../../../../src/domain/agent/token-exchange/issued-claims.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';
import { askedExchange, openPolicy, ownToken, verifiedToken } from '../../../../support/agent/asked-exchange.js';

describe('reservedClaims', () => {
  it('contains each claim that issued tokens set', () => {
    const policy = openPolicy({ claimsCopied: [] });
    const granted = grantExchange(
      askedExchange({ subject: ownToken({ scope: 'read' }), actor: verifiedToken({}, { subject: 'svc' }), policy }),
    );
    const names = granted.ok ? Object.keys(parseClaims(granted.value.payload) ?? {}) : [];
    expect(names.toSorted()).toEqual(
      ['act', 'aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'nbf', 'scope', 'sub'].toSorted(),
    );
    expect(reservedClaims).toEqual(expect.arrayContaining(names));
    expect(new Set(reservedClaims).size).toBe(reservedClaims.length);
  });
});
