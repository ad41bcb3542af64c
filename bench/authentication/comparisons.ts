import { createHash, webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash as argon2 } from '@node-rs/argon2';
import { createVerifier } from 'fast-jwt';
import { exportJWK, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Comparison, PreparedComparisons, Row } from '../checks/comparison.js';
import { type BenchAgent, startBenchAgent } from './agent.js';
import { audience, issuer, type SigningKey, signingKey, tokenCount, tokensOf } from './credentials.js';

const bearer = (token: string): readonly string[] => ['authorization', `Bearer ${token}`];

const libraryRows = (key: SigningKey, tokens: readonly string[]): readonly Row[] => {
  const options: JWTVerifyOptions = { algorithms: [key.algorithm], issuer, audience };
  const verifying = key.publicKey ?? (key.privateKey as Buffer);
  const pem = key.publicKey?.export({ type: 'spki', format: 'pem' }).toString() ?? (key.privateKey as Buffer);
  const fast = (cache: boolean | number) =>
    createVerifier({ key: pem, algorithms: [key.algorithm], allowedIss: issuer, allowedAud: audience, cache });
  const uncached = fast(false);
  const cached = fast(tokenCount * 2);
  return [
    {
      name: 'jose',
      describes: 'jwtVerify of jose, key imported once',
      check: { run: (index) => jwtVerify(tokens[index % tokenCount] as string, verifying, options) },
    },
    {
      name: 'fast-jwt',
      describes: 'createVerifier of fast-jwt, no cache',
      check: { run: (index) => uncached(tokens[index % tokenCount] as string) },
    },
    {
      name: 'fast-jwt, cache',
      describes: 'the same with its cache',
      check: { run: (index) => cached(tokens[index % tokenCount] as string) },
    },
  ];
};

const agentRows = async (
  config: Readonly<Record<string, unknown>>,
  headers: readonly (readonly string[])[],
  agents: BenchAgent[],
): Promise<readonly Row[]> => {
  const cold = await startBenchAgent({ ...config, 'token-cache-size': 0 });
  const warm = await startBenchAgent(config);
  agents.push(cold, warm);
  return [
    { name: 'agent, cold', describes: 'the whole judgement, nothing remembered', check: cold.judging(headers) },
    { name: 'agent, remembered', describes: 'the same, credential seen before', check: warm.judging(headers) },
  ];
};

const jwtComparison = async (algorithm: 'HS256' | 'RS256' | 'ES256', folder: string, agents: BenchAgent[]) => {
  const key = signingKey(algorithm);
  const tokens = tokensOf(key);
  const keyFile = join(folder, `${algorithm}.pem`);
  if (key.publicKey) writeFileSync(keyFile, key.publicKey.export({ type: 'spki', format: 'pem' }));
  const own = key.publicKey === null ? { 'jwt-secret': key.privateKey.toString() } : { 'jwt-public-key': keyFile };
  const config = { ...own, 'jwt-algorithm': algorithm, 'jwt-issuer': issuer, 'jwt-audience': audience };
  return {
    name: `jwt ${algorithm}`,
    describes: `${algorithm} tokens under one configured key`,
    rows: [...libraryRows(key, tokens), ...(await agentRows(config, tokens.map(bearer), agents))],
  };
};

const oidcComparison = async (
  algorithm: Exclude<SigningKey['algorithm'], 'HS256'>,
  key: SigningKey,
  jwksUrl: string,
  agents: BenchAgent[],
): Promise<Comparison> => {
  const tokens = tokensOf(key);
  const config = {
    oidc: { enabled: true, issuer, 'jwks-url': jwksUrl, audience, 'required-scopes': ['read', 'write'] },
  };
  return {
    name: `oidc ${algorithm}`,
    describes: `${algorithm} access tokens under the key set of a provider`,
    rows: [...libraryRows(key, tokens), ...(await agentRows(config, tokens.map(bearer), agents))],
  };
};

const keyComparison = async (agents: BenchAgent[]): Promise<Comparison> => {
  const keys = Array.from({ length: tokenCount }, (_, index) =>
    createHash('sha256').update(`key ${index}`).digest('hex'),
  );
  const hashed = keys.map((key, index) => `sha256:${createHash('sha256').update(key).digest('hex')}:name-${index}`);
  const plainAgent = await startBenchAgent({ 'api-keys': keys.map((key, index) => `${key}:name-${index}`) });
  const hashedAgent = await startBenchAgent({ 'api-keys': hashed });
  agents.push(plainAgent, hashedAgent);
  const headers = keys.map((key) => ['x-api-key', key]);
  return {
    name: 'api keys',
    describes: `${tokenCount} keys`,
    rows: [
      { name: 'agent, plain', describes: 'keys as they are', check: plainAgent.judging(headers) },
      { name: 'agent, sha256', describes: 'keys stored hashed', check: hashedAgent.judging(headers) },
    ],
  };
};

const basicComparison = async (agents: BenchAgent[]): Promise<Comparison> => {
  const password = 'correct horse battery staple';
  const hash = await argon2(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  const plain = await startBenchAgent({ 'basic-auth-users': [`bench:${password}`] });
  const hashed = await startBenchAgent({ 'basic-auth-users': [`bench:${hash}`] });
  agents.push(plain, hashed);
  const headers = [['authorization', `Basic ${Buffer.from(`bench:${password}`).toString('base64')}`]];
  return {
    name: 'basic',
    describes: 'one user',
    rows: [
      { name: 'agent, plain', describes: 'password as it is', check: plain.judging(headers) },
      {
        name: 'agent, argon2id remembered',
        describes: 'hashed, checked within the last minute',
        check: hashed.judging(headers),
      },
      {
        name: 'argon2id itself',
        describes: 'what a check costs that is not remembered',
        check: { run: () => argon2(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }) },
      },
    ],
  };
};

const certificateComparison = async (folder: string, agents: BenchAgent[]): Promise<Comparison> => {
  // It needs what the product's container has loaded by now.
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authorityKeys = await makeKeys();
  const day = 86_400_000;
  const validity = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=Bench CA',
    keys: authorityKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    ...validity,
    subject: 'CN=bench-client,O=Bench',
    issuer: authority.subject,
    publicKey: (await makeKeys()).publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.2'])],
  });
  const file = join(folder, 'ca.pem');
  writeFileSync(file, authority.toString('pem'));
  const config = { mtls: { enabled: true, 'ca-cert-path': file } };
  const headers = [['x-client-cert', encodeURIComponent(leaf.toString('pem'))]];
  return {
    name: 'mtls',
    describes: 'a P-256 certificate of a configured authority, as URL-encoded PEM',
    rows: await agentRows(config, headers, agents),
  };
};

/** Makes keys, tokens and agents for everything that is compared. */
export const prepareComparisons = async (): Promise<PreparedComparisons> => {
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-auth-'));
  const agents: BenchAgent[] = [];
  const providerKeys = (['RS256', 'PS256', 'ES256', 'EdDSA'] as const).map(signingKey);
  const published = await Promise.all(
    providerKeys.map(async (key) => ({
      ...(await exportJWK(key.publicKey as Exclude<typeof key.publicKey, null>)),
      kid: key.kid,
      alg: key.algorithm,
      use: 'sig',
    })),
  );
  const provider = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ keys: published }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const jwksUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`;
  const stop = async (): Promise<void> => {
    for (const agent of agents) agent.stop();
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  };
  const comparisons: Comparison[] = [];
  for (const algorithm of ['HS256', 'RS256', 'ES256'] as const) {
    comparisons.push(await jwtComparison(algorithm, folder, agents));
  }
  for (const key of providerKeys) {
    comparisons.push(await oidcComparison(key.algorithm as 'RS256', key, jwksUrl, agents));
  }
  comparisons.push(await keyComparison(agents), await basicComparison(agents));
  comparisons.push(await certificateComparison(folder, agents));
  return { comparisons, stop };
};
