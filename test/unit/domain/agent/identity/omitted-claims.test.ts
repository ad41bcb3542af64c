import { describe, expect, it } from 'vitest';
import { claimBounds } from '../../../../../src/domain/agent/identity/bounded-headers.js';
import { identityHeaders, omittedClaims } from '../../../../../src/domain/agent/identity/identity-headers.js';

const namesOf = (...paths: readonly string[]): string =>
  omittedClaims(paths.map((path) => ({ path, reason: 'over_limit' })));

describe('the names of omitted claims', () => {
  it('are joined by commas in order', () => {
    expect(namesOf('groups')).toBe('groups');
    expect(namesOf('groups', 'realm_access.roles')).toBe('groups,realm_access.roles');
  });

  it('cannot be confused with several names, the marker or another header', () => {
    expect(namesOf('a,b', '*', 'c\r\nX-User-Id: root', 'é')).toBe('a%2Cb,%2A,c%0D%0AX-User-Id: root,%C3%A9');
  });

  it('have at most 512 bytes; a star replaces the rest', () => {
    const name = (at: number): string => `claim-${String(at).padStart(10, '0')}`;
    const many = Array.from({ length: 100 }, (_, at) => name(at));
    const value = namesOf(...many);
    const named = value.split(',');
    expect(named.at(-1)).toBe('*');
    expect(named.slice(0, -1)).toEqual(many.slice(0, named.length - 1));
    expect(value.length).toBeLessThanOrEqual(514);
    expect(value.length).toBeGreaterThan(490);
    expect(namesOf('x'.repeat(513))).toBe('*');
    expect(namesOf('x'.repeat(512))).toBe('x'.repeat(512));
    expect(namesOf('x'.repeat(512), 'y')).toBe(`${'x'.repeat(512)},*`);
  });

  it('distinguish a claim with too many groups from one without any', () => {
    const groups = Array.from({ length: 150 }, (_, at) => `/company/department-${at}/team`);
    const headersOf = (claims: object, maxClaimBytes = 2_048) =>
      identityHeaders(
        { method: 'oidc', userId: 'ann', claims: claims as never, certificate: null },
        { userId: 'X-User-Id', authMethod: 'X-Auth-Method' },
        [],
        claimBounds(maxClaimBytes),
      ).operations.map(({ name }) => name);
    expect(headersOf({ groups, email: 'a@example.com' }).slice(2)).toEqual([
      'X-Auth-Claim-email',
      'X-Auth-Claims-Omitted',
    ]);
    expect(headersOf({ email: 'a@example.com' }).slice(2)).toEqual(['X-Auth-Claim-email']);
    expect(headersOf({ groups }, 8_192).slice(2)).toEqual(['X-Auth-Claim-groups']);
  });
});

describe('the limits of claims', () => {
  it('are in total four times that of one claim, and at least 4 KiB', () => {
    expect(claimBounds(2_048)).toEqual({ claimOctets: 2_048, totalOctets: 8_192 });
    expect(claimBounds(16_384).totalOctets).toBe(65_536);
    expect(claimBounds(100).totalOctets).toBe(4_096);
  });
});
