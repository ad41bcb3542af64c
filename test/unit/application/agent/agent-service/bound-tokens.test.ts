import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { FakeKeySetSource } from '../../../../support/agent/fake-key-set-source.js';
import { selfSignedCertificate } from '../../../../support/agent/self-signed-certificate.js';
import { startedTestAgent } from '../../../../support/agent/test-agent.js';
import { ecPair, publicJwk, signToken } from '../../../../support/agent/test-tokens.js';
import {
  base64Der,
  byteSequence,
  pemOf,
  urlEncodedPem,
  xfccOf,
} from '../../../../support/shared/certificate-headers.js';

const secret = 'a secret of more than 32 bytes, for tests alone';
const issuer = 'https://id.example';
const pair = ecPair();
const own = selfSignedCertificate(ecPair(), 'own');
const other = selfSignedCertificate(ecPair(), 'other');
const sha256 = (der: Buffer): Buffer => createHash('sha256').update(der).digest();
const boundTo = (der: Buffer) => ({ 'x5t#S256': sha256(der).toString('base64url') });

const started = async (method: 'jwt' | 'oidc', config: JsonObject = {}) => {
  const keySetSource = new FakeKeySetSource();
  keySetSource.publish({ ...publicJwk(pair.publicKey), kid: 'first' });
  const oidc = { enabled: true, issuer, 'jwks-url': `${issuer}/keys`, audience: 'api' };
  const methods: JsonObject = method === 'jwt' ? { 'jwt-secret': secret } : { oidc };
  const made = await startedTestAgent({ ...methods, ...config }, { keySetSource });
  const tokenOf = (cnf?: unknown): string => {
    const claims = {
      iss: issuer,
      aud: 'api',
      sub: 'ann',
      exp: made.clock.seconds() + 600,
      ...(cnf !== undefined && { cnf }),
    };
    return method === 'jwt'
      ? signToken('HS256', secret, claims)
      : signToken('ES256', pair.privateKey, claims, { kid: 'first' });
  };
  /** `allow`, or the reason of the refusal. */
  const ask = async (token: string, ...headers: readonly string[]): Promise<string> => {
    const { decision, audit } = await made.ask(['authorization', `Bearer ${token}`, ...headers]);
    return decision.kind === 'block' ? audit.reasonCodes.join() : decision.kind;
  };
  return { ...made, tokenOf, ask };
};

describe.each(['jwt', 'oidc'] as const)('a token bound to a certificate, verified as %s', (method) => {
  it('passes only with its certificate', async () => {
    const { tokenOf, ask } = await started(method);
    const token = tokenOf(boundTo(own));
    expect(await ask(token)).toBe('missing_certificate');
    expect(await ask(token, 'x-client-cert', '')).toBe('missing_certificate');
    expect(await ask(token, 'x-client-cert', base64Der(other))).toBe('wrong_certificate');
    expect(await ask(token, 'x-client-cert', 'garbled')).toBe('wrong_certificate');
    expect(await ask(token, 'x-client-cert', base64Der(own))).toBe('allow');
  });

  it('is verified for every request after caching', async () => {
    const { tokenOf, ask } = await started(method);
    const token = tokenOf(boundTo(own));
    for (let run = 0; run < 2; run += 1) {
      expect(await ask(token, 'x-client-cert', base64Der(own))).toBe('allow');
      expect(await ask(token)).toBe('missing_certificate');
      expect(await ask(token, 'x-client-cert', base64Der(other))).toBe('wrong_certificate');
    }
  });

  it.each([
    ['a key of DPoP', { jkt: 'A'.repeat(43) }, 'bound_token_as_bearer'],
    ['a key that is none', { jkt: 'thumbprint' }, 'malformed_confirmation'],
    ['nothing that is known', { jwk: {} }, 'unknown_confirmation'],
    ['nothing', {}, 'unknown_confirmation'],
    ['a text', 'x', 'malformed_confirmation'],
    ['null', null, 'malformed_confirmation'],
    ['a thumbprint that is none', { 'x5t#S256': 'short' }, 'malformed_confirmation'],
  ])('is refused every time if cnf holds %s, even with a certificate', async (_name, cnf, reason) => {
    const { tokenOf, ask } = await started(method);
    const token = tokenOf(cnf);
    for (let run = 0; run < 2; run += 1) {
      expect(await ask(token)).toBe(reason);
      expect(await ask(token, 'x-client-cert', base64Der(own))).toBe(reason);
    }
  });

  it('is logged by its reason, without any part of the token', async () => {
    const { tokenOf, ask, logger } = await started(method);
    await ask(tokenOf({ jkt: 'thumbprint' }));
    expect(logger.lines.at(-1)).toMatchObject({
      message: 'authentication failed',
      fields: { method, reason: 'malformed_confirmation' },
    });
    expect(JSON.stringify(logger.lines)).not.toContain('thumbprint');
  });

  it('does not change tokens without cnf', async () => {
    const { tokenOf, ask } = await started(method);
    expect(await ask(tokenOf())).toBe('allow');
    expect(await ask(tokenOf(), 'x-client-cert', base64Der(other))).toBe('allow');
  });
});

describe('the certificate for a bound token', () => {
  it('is read in every encoding; the first of several belongs to the client', async () => {
    const { tokenOf, ask } = await started('jwt');
    const token = tokenOf(boundTo(own));
    for (const value of [urlEncodedPem([own]), pemOf([own], ' ').trim(), urlEncodedPem([own, other])]) {
      expect(await ask(token, 'x-client-cert', value)).toBe('allow');
    }
    expect(await ask(token, 'x-client-cert', urlEncodedPem([other, own]))).toBe('wrong_certificate');
  });

  it('counts in XFCC only with a correct digest', async () => {
    const { tokenOf, ask } = await started('jwt', { mtls: { 'client-cert-header': 'X-Forwarded-Client-Cert' } });
    const token = tokenOf(boundTo(own));
    const xfcc = (hash: Buffer): string =>
      xfccOf([
        ['Hash', hash.toString('hex')],
        ['Cert', urlEncodedPem([own])],
      ]);
    expect(await ask(token, 'x-forwarded-client-cert', xfcc(sha256(own)))).toBe('allow');
    expect(await ask(token, 'x-forwarded-client-cert', xfcc(sha256(other)))).toBe('wrong_certificate');
  });

  it('comes only in client-cert-header, and mtls need not be enabled', async () => {
    const { tokenOf, ask, agent } = await started('jwt', { mtls: { 'client-cert-header': 'Client-Cert' } });
    const token = tokenOf(boundTo(own));
    expect(await ask(token, 'client-cert', byteSequence(own))).toBe('allow');
    expect(await ask(token, 'x-client-cert', base64Der(own))).toBe('missing_certificate');
    expect(agent.capabilities().ownedHeaders).toContain('Client-Cert');
  });
});
