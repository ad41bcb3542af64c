import { createHook } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import { createHash, createHmac, createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { createVerifier } from 'fast-jwt';
import { calculateJwkThumbprint, compactVerify, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { JoseTokenSigningKeys } from '../../../../../src/adapters/outbound/jose-tokens/jose-token-signing-keys.js';
import type { SigningKey } from '../../../../../src/application/ports/agent/token-signing-keys.js';
import {
  type SigningAlgorithm,
  signingAlgorithms,
} from '../../../../../src/domain/agent/tokens/signature-algorithm.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { pairFor, publicPem, signToken } from '../../../../support/agent/test-tokens.js';
import { describeWithPeers, peerPath } from '../../../../support/shared/peers.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const keys = new JoseTokenSigningKeys();
const secret = 'a secret of more than thirty-two octets, ä';
const claims = { iss: 'https://id.example.com', sub: 'änn', exp: 4_000_000_000 };
const payload = JSON.stringify(claims);

const pairAlgorithms = signingAlgorithms.filter((algorithm) => algorithm !== 'HS256');

const privatePem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Text of a key file, and what a peer verifies with. */
const material = (algorithm: SigningAlgorithm): { readonly text: string; readonly verifying: KeyObject } => {
  if (algorithm === 'HS256') return { text: `${secret}\n`, verifying: createSecretKey(secret, 'utf8') };
  const { privateKey, publicKey } = pairFor(algorithm);
  return { text: privatePem(privateKey), verifying: publicKey };
};

const read = async (text: string, algorithm: SigningAlgorithm): Promise<SigningKey> => {
  const key = await keys.readSigningKey(new Secret(text), algorithm);
  if (!key.ok) throw new Error(key.error);
  return key.value;
};

/** Something else that signs by the algorithm. */
const otherSigner = (algorithm: SigningAlgorithm): KeyObject | string =>
  algorithm === 'HS256' ? `${secret}!` : pairFor(algorithm).privateKey;

/** A stretch of base64 from the private half of a key. */
const privateStretch = (pem: string): string => pem.split('\n').slice(1, -2).join('').slice(-40);

describe.each(signingAlgorithms)('a token signed by %s', (algorithm) => {
  const { text, verifying } = material(algorithm);

  it('is verified by jose, with the requested header', async () => {
    const key = await read(text, algorithm);
    for (const type of ['at+jwt', 'JWT']) {
      const { protectedHeader, payload: signed } = await compactVerify(await key.sign(type, payload), verifying);
      expect(protectedHeader).toEqual({ alg: algorithm, typ: type, kid: key.kid });
      expect(Buffer.from(signed).toString('utf8')).toBe(payload);
    }
  });

  it('is verified by fast-jwt', async () => {
    const key = await read(text, algorithm);
    const peerKey = algorithm === 'HS256' ? secret : publicPem(verifying);
    const verify = createVerifier({ key: peerKey, algorithms: [algorithm] });
    expect(verify(await key.sign('JWT', payload))).toEqual(claims);
    expect(() => verify(signToken(algorithm, otherSigner(algorithm), claims))).toThrow();
  });

  it('is verified by its own verifier only if unchanged', async () => {
    const key = await read(text, algorithm);
    const token = await key.sign('at+jwt', payload);
    expect(key.verifier.isSigned(token)).toBe(true);
    const [header, body, signature] = token.split('.') as [string, string, string];
    const other = await key.sign('JWT', payload);
    expect(key.verifier.isSigned(`${other.split('.')[0]}.${body}.${signature}`)).toBe(false);
    expect(key.verifier.isSigned(`${header}.${body}A.${signature}`)).toBe(false);
    expect(key.verifier.isSigned(signToken(algorithm, otherSigner(algorithm), claims))).toBe(false);
  });

  it('has a kid that depends only on the key', async () => {
    const kid = (await read(text, algorithm)).kid;
    expect((await read(text, algorithm)).kid).toBe(kid);
    expect(kid).toMatch(/^[\w-]{22,43}$/);
    const another = algorithm === 'HS256' ? `${secret}!` : material(algorithm).text;
    expect((await read(another, algorithm)).kid).not.toBe(kid);
  });

  it('hides its key in printed output', async () => {
    const key = await read(text, algorithm);
    const own = algorithm === 'HS256' ? [secret, Buffer.from(secret).toString('base64url')] : [privateStretch(text)];
    const prints = [JSON.stringify(key), inspect(key, { depth: 9, showHidden: true }), String(key)];
    for (const shown of prints) for (const part of own) expect(shown).not.toContain(part);
  });
});

describe.each(pairAlgorithms)('the published key of %s', (algorithm) => {
  const { text, verifying } = material(algorithm);

  it('has its thumbprint as kid, and no private member', async () => {
    const key = await read(text, algorithm);
    const jwk = verifying.export({ format: 'jwk' });
    expect(key.kid).toBe(await calculateJwkThumbprint(jwk as JsonWebKey));
    expect(key.publicJwk).toEqual({ ...jwk, use: 'sig', alg: algorithm, kid: key.kid });
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key.publicJwk).not.toHaveProperty(member);
  });

  it('is found by jose in a key set of several', async () => {
    const [signing, another] = [await read(text, algorithm), await read(material('ES256').text, 'ES256')];
    const keySet = createLocalJWKSet({ keys: [another.publicJwk, signing.publicJwk] } as unknown as JSONWebKeySet);
    const token = await signing.sign('at+jwt', payload);
    const verified = await jwtVerify(token, keySet, { typ: 'at+jwt', issuer: claims.iss });
    expect(verified.payload).toEqual(claims);
  });

  it('is the same from the private and the public key', async () => {
    const signing = await read(text, algorithm);
    for (const pem of [text, publicPem(verifying)]) {
      const published = await keys.readPublishedKey(new Secret(pem), algorithm);
      if (!published.ok) throw new Error(published.error);
      expect({ ...published.value, verifier: null }).toEqual({
        kid: signing.kid,
        algorithm,
        publicJwk: signing.publicJwk,
        verifier: null,
      });
      expect(published.value.verifier.isSigned(await signing.sign('JWT', payload))).toBe(true);
      expect(published.value).not.toHaveProperty('sign');
    }
  });

  it('signs on the thread pool', async () => {
    const key = await read(text, algorithm);
    const jobs: string[] = [];
    // Node has an asynchronous resource of this type for signatures of the pool, and none for others.
    const hook = createHook({ init: (_, type) => void jobs.push(type) }).enable();
    const token = key.sign('JWT', payload);
    hook.disable();
    expect(jobs).toContain('SIGNREQUEST');
    await token;
  });
});

describe('the kid of a secret', () => {
  it('reveals no digest of the secret and no part of a possible signature', async () => {
    const key = await read(secret, 'HS256');
    const jwk = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };
    expect(await calculateJwkThumbprint(jwk)).not.toContain(key.kid);
    expect(key.publicJwk).toBeNull();
    expect(createHash('sha256').update(secret).digest('base64url')).not.toContain(key.kid);
    // What it is an HMAC of has no dot, so that no token starts with it.
    const mac = createHmac('sha256', secret).update('portcullis token signing key').digest();
    expect(key.kid).toBe(mac.subarray(0, 16).toString('base64url'));
  });

  it('does not depend on the line end', async () => {
    const kids = await Promise.all(
      [secret, `${secret}\n`, `${secret}\r\n`].map(async (text) => (await read(text, 'HS256')).kid),
    );
    expect(new Set(kids).size).toBe(1);
    expect((await read(`${secret}\n\n`, 'HS256')).kid).not.toBe(kids[0]);
    expect((await read(`${secret} `, 'HS256')).kid).not.toBe(kids[0]);
    expect((await read(`${secret}\r`, 'HS256')).kid).not.toBe(kids[0]);
  });
});

describeWithPeers(['openssl'], 'with openssl', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const openssl = (...args: readonly string[]): string =>
    execFileSync(peerPath('openssl') ?? '', args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();

  const made: Readonly<Record<string, readonly [SigningAlgorithm, () => string]>> = {
    'PKCS #8, RSA': ['RS256', () => openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048')],
    'PKCS #1': ['PS256', () => openssl('genrsa', '-traditional', '2048')],
    'SEC 1 behind its parameters': ['ES256', () => openssl('ecparam', '-name', 'prime256v1', '-genkey')],
    'PKCS #8, Ed25519': ['EdDSA', () => openssl('genpkey', '-algorithm', 'ed25519')],
  };
  for (const [name, [algorithm, make]] of Object.entries(made)) {
    it(`signs with a generated key: ${name}`, async () => {
      const text = make();
      for (const pem of [text, text.replaceAll('\n', '\r\n'), `a comment\n${text}`]) {
        const key = await read(pem, algorithm);
        const { payload: signed } = await compactVerify(await key.sign('JWT', payload), createPublicKey(text));
        expect(Buffer.from(signed).toString()).toBe(payload);
      }
    });
  }

  it('agrees on signatures with RS256 and EdDSA', async () => {
    for (const algorithm of ['RS256', 'EdDSA'] as const) {
      const { text, verifying } = material(algorithm);
      const token = await (await read(text, algorithm)).sign('JWT', payload);
      const input = folder.write('input', token.slice(0, token.lastIndexOf('.')));
      const publicKey = folder.write('public.pem', publicPem(verifying));
      const signature = folder.file('signature');
      const octets = Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64');
      execFileSync('sh', ['-c', 'cat > "$1"', 'sh', signature], { input: octets });
      const check =
        algorithm === 'RS256'
          ? ['dgst', '-sha256', '-verify', publicKey, '-signature', signature, input]
          : ['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', publicKey, '-in', input, '-sigfile', signature];
      expect(openssl(...check)).toMatch(/Verified OK|Verified Successfully/);
    }
  });

  it('reads the public key of a certificate, and of a file with key and certificate', async () => {
    const [key, certificate] = [folder.file('key.pem'), folder.file('certificate.pem')];
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=id', '-keyout', key, '-out', certificate);
    const [keyPem, certificatePem] = [openssl('pkey', '-in', key), openssl('x509', '-in', certificate)];
    const { kid } = await read(keyPem, 'RS256');
    expect((await read(certificatePem + keyPem, 'RS256')).kid).toBe(kid);
    for (const pem of [certificatePem, certificatePem + keyPem, keyPem + certificatePem]) {
      expect(await keys.readPublishedKey(new Secret(pem), 'RS256')).toMatchObject({ ok: true, value: { kid } });
    }
    expect(await keys.readClientKey(certificatePem)).toMatchObject({ ok: true });
  });
});
