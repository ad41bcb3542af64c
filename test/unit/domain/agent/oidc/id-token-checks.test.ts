import { describe, expect, it } from 'vitest';
import { CryptoTokenHashes } from '../../../../../src/adapters/outbound/jose-tokens/crypto-token-hashes.js';
import {
  type IdTokenExpectation,
  idTokenChecks,
  idTokenFault,
} from '../../../../../src/domain/agent/oidc/checks/id-token-checks.js';
import { hashOfAlgorithm, tokenHash } from '../../../../../src/domain/agent/oidc/token-hash.js';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';
import { SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';

const nowMs = 1_700_000_000_000;
const nowSecs = nowMs / 1000;

const expectation: IdTokenExpectation = {
  nowMs,
  clockSkewMs: 30_000,
  clientId: 'portal',
  nonce: 'n-1',
  requestedMs: nowMs - 20_000,
  accessTokenHash: 'at',
  codeHash: 'c',
  maxAgeSecs: null,
  acrValues: [],
};

const claims: Claims = { iss: 'https://id.example', sub: 'ann', aud: 'portal', nonce: 'n-1', iat: nowSecs };

const faultOf = (changes: Claims, expected: Partial<IdTokenExpectation> = {}) =>
  idTokenFault({ ...claims, ...changes }, { ...expectation, ...expected });

describe('the checks of an ID token', () => {
  it('accept the token of this sign-on', () => {
    expect(faultOf({})).toBeNull();
    expect(faultOf({ azp: 'portal', at_hash: 'at', c_hash: 'c' })).toBeNull();
  });

  it.each([
    ['another nonce', { nonce: 'n-2' }],
    ['a nonce that is a list', { nonce: ['n-1'] }],
    ['a nonce that is null', { nonce: null }],
  ])('refuse %s', (_what, changes) => {
    expect(faultOf(changes)).toBe('wrong_nonce');
  });

  it('refuse a token without a nonce', () => {
    const { nonce: _nonce, ...others } = claims;
    expect(idTokenFault(others, expectation)).toBe('wrong_nonce');
  });

  it('refuse another authorized party', () => {
    expect(faultOf({ azp: 'other' })).toBe('wrong_party');
    expect(faultOf({ azp: ['portal'] })).toBe('wrong_party');
    expect(faultOf({ azp: null })).toBe('wrong_party');
  });

  it('refuse a token that is older than the request', () => {
    expect(faultOf({ iat: nowSecs - 50 })).toBeNull();
    expect(faultOf({ iat: nowSecs - 52 })).toBe('issued_too_long_ago');
    expect(faultOf({ iat: 0 })).toBe('issued_too_long_ago');
    expect(faultOf({ iat: '1700000000' })).toBe('missing_issued_at');
    expect(faultOf({ iat: new SpelledNumber('1700000000.25') })).toBeNull();
  });

  it.each(['', 'other', 'AT', null, ['at'], { at: 1 }])('refuse the access token hash %j', (hash) => {
    expect(faultOf({ at_hash: hash })).toBe('wrong_access_token_hash');
  });

  it.each(['', 'other', null, ['c']])('refuse the code hash %j', (hash) => {
    expect(faultOf({ c_hash: hash })).toBe('wrong_code_hash');
  });

  it('require an authentication within the maximum age', () => {
    const maxAgeSecs = 60;
    expect(faultOf({ auth_time: nowSecs - 60 }, { maxAgeSecs })).toBeNull();
    expect(faultOf({ auth_time: nowSecs - 91 }, { maxAgeSecs })).toBe('authentication_not_fresh');
    expect(faultOf({ auth_time: nowSecs + 31 }, { maxAgeSecs })).toBe('authentication_not_fresh');
    expect(faultOf({}, { maxAgeSecs })).toBe('authentication_not_fresh');
    expect(faultOf({ auth_time: String(nowSecs) }, { maxAgeSecs })).toBe('authentication_not_fresh');
    expect(faultOf({ auth_time: nowSecs }, { maxAgeSecs: 0 })).toBeNull();
  });

  it('require one of the requested authentication contexts', () => {
    const acrValues = ['urn:mfa', 'urn:phr'];
    expect(faultOf({ acr: 'urn:phr' }, { acrValues })).toBeNull();
    expect(faultOf({ acr: 'urn:pwd' }, { acrValues })).toBe('wrong_authentication_context');
    expect(faultOf({ acr: acrValues }, { acrValues })).toBe('wrong_authentication_context');
    expect(faultOf({}, { acrValues })).toBe('wrong_authentication_context');
  });

  it('are seven', () => {
    expect(idTokenChecks).toHaveLength(7);
  });
});

describe('the hash of a token', () => {
  const hashes = new CryptoTokenHashes();

  it('is the left half of the digest', () => {
    // OpenID Connect Core, appendix A.4 and A.6.
    expect(tokenHash(hashes.hash('sha256', 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y'))).toBe(
      '77QmUPtjPfzWtF2AnpK9RQ',
    );
    expect(tokenHash(hashes.hash('sha256', 'Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk'))).toBe(
      'LDktKdoQak3Pk0cnXxCltA',
    );
  });

  it('uses the hash function of the algorithm', () => {
    expect(hashOfAlgorithm('RS256')).toBe('sha256');
    expect(hashOfAlgorithm('PS384')).toBe('sha384');
    expect(hashOfAlgorithm('ES512')).toBe('sha512');
    expect(hashOfAlgorithm('EdDSA')).toBe('sha512');
    expect(tokenHash(hashes.hash('sha512', 'a'))).toHaveLength(43);
    expect(tokenHash(hashes.hash('sha384', 'a'))).toHaveLength(32);
  });
});
