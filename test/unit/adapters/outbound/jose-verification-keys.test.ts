import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { JoseVerificationKeys } from '../../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js';
import { asymmetricAlgorithms } from '../../../../src/domain/agent/tokens/signature-algorithm.js';
import { pairFor, publicPem, rsaPair, signToken } from '../../../support/agent/test-tokens.js';
import { describeWithPeers, peerPath } from '../../../support/shared/peers.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const keys = new JoseVerificationKeys();
const isSigned = async (publicKeyPem: string, token: string): Promise<boolean> => {
  const prepared = await keys.prepare({ algorithm: 'RS256', publicKeyPem });
  if (!prepared.ok) throw new Error(prepared.error);
  return prepared.value.isSigned(token);
};

describe('JoseVerificationKeys', () => {
  it('reads a public key in both of its PEM forms', async () => {
    const { publicKey, privateKey } = rsaPair();
    const token = signToken('RS256', privateKey, { sub: 'ann' });
    expect(await isSigned(publicPem(publicKey), token)).toBe(true);
    expect(await isSigned(publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(), token)).toBe(true);
    expect(await isSigned(publicPem(rsaPair().publicKey), token)).toBe(false);
  });

  it('reads a public key in PEM for every algorithm with a key pair, and for none that it does not fit', async () => {
    const rsa = rsaPair();
    for (const algorithm of asymmetricAlgorithms) {
      const { publicKey, privateKey } = /^[RP]S/.test(algorithm) ? rsa : pairFor(algorithm);
      const prepared = await keys.prepare({ algorithm, publicKeyPem: publicPem(publicKey) });
      expect(prepared.ok && prepared.value.isSigned(signToken(algorithm, privateKey, { sub: 'ann' }))).toBe(true);
      const foreign = publicKey === rsa.publicKey ? pairFor('ES256') : rsa;
      expect(await keys.prepare({ algorithm, publicKeyPem: publicPem(foreign.publicKey) })).toMatchObject({
        ok: false,
      });
    }
  });

  it('takes no PEM that holds something else', async () => {
    const pem = '-----BEGIN PUBLIC KEY-----\nMAAwAA==\n-----END PUBLIC KEY-----\n';
    expect(await keys.prepare({ algorithm: 'RS256', publicKeyPem: pem })).toMatchObject({ ok: false });
  });
});

describeWithPeers(['openssl'], 'a certificate', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it('gives its public key', async () => {
    const [key, certificate] = [folder.file('key.pem'), folder.file('certificate.pem')];
    execFileSync(
      peerPath('openssl') ?? '',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=id', '-keyout', key, '-out', certificate],
      { stdio: 'ignore' },
    );
    const token = signToken('RS256', createPrivateKey(readFileSync(key)), { sub: 'ann' });
    expect(await isSigned(readFileSync(certificate, 'utf8'), token)).toBe(true);
  });
});
