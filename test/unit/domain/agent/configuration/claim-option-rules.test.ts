import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { withCommonMapping } from '../../../../../src/domain/agent/configuration/claim-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const secret = 'a-secret-of-more-than-thirty-two-octets';

const checked = (config: JsonObject, methods: JsonObject = { 'jwt-secret': secret }) => {
  const decoded = decodeAgentOptions({ ...methods, ...config });
  if (decoded.options === null) return { options: null, texts: decoded.problems.map(({ message }) => message) };
  const { options, problems } = completeAgentOptions(decoded.options, new Map());
  return { options, texts: problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`) };
};
const textsOf = (...given: Parameters<typeof checked>) => checked(...given).texts;
const mapped = (mapping: JsonObject) => textsOf({ 'claim-mapping': mapping });

describe('forward-claims', () => {
  it('names claims; by default all are forwarded, and an empty list means none', () => {
    const forwarded = (config: JsonObject) => checked(config).options?.forwardClaims;
    expect(forwarded({})).toBeNull();
    expect(forwarded({ 'forward-claims': ['sub', 'realm_access.roles'] })).toEqual(['sub', 'realm_access.roles']);
    expect(forwarded({ 'forward-claims': 'email' })).toEqual(['email']);
    expect(forwarded({ 'forward-claims': [] })).toEqual([]);
    expect(forwarded({ 'forward-claims': ['https://example.com/team'] })).toEqual(['https://example.com/team']);
  });

  it('refuses a value that is not the name of a claim, and more than 100 names', () => {
    expect(textsOf({ 'forward-claims': [''] })).toEqual(['config.forward-claims: "forward-claims" must not be empty']);
    expect(textsOf({ 'forward-claims': ['a\r\nb'] })).toEqual([
      'config.forward-claims: "forward-claims" must consist of at most 1024 printable characters',
    ]);
    expect(textsOf({ 'forward-claims': [5] })).toHaveLength(1);
    expect(textsOf({ 'forward-claims': { sub: 'X' } })).toHaveLength(1);
    const names = Array.from({ length: 101 }, (_, at) => `c${at}`);
    expect(textsOf({ 'forward-claims': names })).toEqual([
      'error forward-claims: forward-claims has more than 100 names',
    ]);
  });

  it('warns if no method has claims', () => {
    expect(textsOf({ 'forward-claims': 'sub' }, { 'api-keys': 'key:ann' })).toEqual([
      'warning forward-claims: it has no effect without a method whose tokens have claims',
    ]);
  });
});

describe('claim-mapping', () => {
  it('maps claims to headers', () => {
    expect(
      checked({ 'claim-mapping': { email: 'X-User-Email', 'realm_access.roles': 'X-Roles' } }).options?.claimMapping,
    ).toEqual([
      { attribute: 'email', header: 'X-User-Email' },
      { attribute: 'realm_access.roles', header: 'X-Roles' },
    ]);
    expect(checked({ 'claim-mapping': null }).options?.claimMapping).toEqual([]);
  });

  it('refuses headers that have another purpose', () => {
    const refused = (header: string) => mapped({ email: header })[0];
    expect(refused('X-User-Id')).toBe(
      'error claim-mapping: the header X-User-Id is already an identity header: use another header',
    );
    for (const name of ['x_auth_claim_email', 'X-Identity-Token', 'X-Sign-On-Location', 'x-client-cert']) {
      expect(refused(name)).toContain('is already an identity header');
    }
    expect(refused('x_auth_claims_omitted')).toContain('lists the omitted claims');
    expect(refused('Host')).toContain('belongs to message framing');
    expect(refused('Transfer-Encoding')).toContain('belongs to message framing');
    expect(refused('Authorization')).toContain('has a standard meaning');
    expect(refused('X-Forwarded-For')).toContain('has a standard meaning');
    expect(refused('X User')).toContain('email');
  });

  it('refuses a header twice, in any spelling, and one of another option', () => {
    expect(mapped({ email: 'X-Who', name: 'x_who' })).toEqual([
      'error claim-mapping: claim-mapping already uses the header x_who',
    ]);
    const withKeys = { 'jwt-secret': secret, 'api-keys': 'key:ann', 'api-key-header': 'X-Key' };
    expect(textsOf({ 'claim-mapping': { email: 'x-key' } }, withKeys)).toEqual([
      'error claim-mapping: api-key-header already uses the header x-key',
    ]);
    const withUser = { 'jwt-secret': secret, 'user-id-header': 'X-Login' };
    expect(textsOf({ 'claim-mapping': { email: 'X-Login' } }, withUser)).toEqual([
      'error claim-mapping: user-id-header already uses the header X-Login',
    ]);
  });

  it('refuses values that are not header names, and more headers than a request can have', () => {
    for (const wrong of [5, true, ['X-A', 'X-B'], { header: 'X-A' }]) {
      expect(mapped({ email: wrong }), JSON.stringify(wrong)).toHaveLength(1);
    }
    expect(textsOf({ 'claim-mapping': 'email' }).length).toBeGreaterThan(0);
    const many = Object.fromEntries(Array.from({ length: 63 }, (_, at) => [`c${at}`, `X-C-${at}`]));
    expect(mapped(many)).toEqual(['error claim-mapping: claim-mapping has more than 62 headers']);
  });

  it('warns if no method has claims', () => {
    expect(textsOf({ 'claim-mapping': { email: 'X-A' } }, { 'basic-auth-users': 'ann:a-long-password' })).toContain(
      'warning claim-mapping: it has no effect without a method whose credentials have claims',
    );
  });
});

it('a way to sign on overrides the common mapping of the same header, in any spelling', () => {
  const own = [{ attribute: 'mail', header: 'X-User-Email' }];
  const common = [
    { attribute: 'email', header: 'x_user_email' },
    { attribute: 'team', header: 'X-Team' },
  ];
  expect(withCommonMapping(own, common)).toEqual([...own, common[1]]);
  expect(withCommonMapping(own, [])).toBe(own);
  expect(withCommonMapping([], common)).toEqual(common);
});
