import type { KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwtVerify, SignJWT } from 'jose';
import { type BenchAgent, startBenchAgent } from '../authentication/agent.js';
import { audience, issuer, type SigningKey, signingKey, tokenCount, tokensOf } from '../authentication/credentials.js';
import type { Check, Comparison, PreparedComparisons } from '../checks/comparison.js';

const endpoint = '/token/exchange';
const clientSecret = 'a-secret-of-a-client-that-is-long-enough';
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256'] as const;
type Algorithm = (typeof algorithms)[number];

/** How many clients there are, and how many audiences each may name. */
interface Crowd {
  readonly clients: number;
  readonly audiences: number;
}

const basic = ['authorization', `Basic ${Buffer.from(`client-0:${clientSecret}`).toString('base64')}`];

const formOf = (token: string): string =>
  new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    audience: 'audience-0',
    scope: 'read',
  }).toString();

const keyText = ({ privateKey }: SigningKey): string =>
  Buffer.isBuffer(privateKey)
    ? privateKey.toString()
    : (privateKey as KeyObject).export({ type: 'pkcs8', format: 'pem' }).toString();

/** What every contender works with. */
interface Material {
  readonly folder: string;
  readonly subjectKey: SigningKey;
  readonly tokens: readonly string[];
}

const exchangeAgent = async (
  { folder, subjectKey }: Material,
  algorithm: Algorithm,
  { clients, audiences }: Crowd,
): Promise<BenchAgent> => {
  const signingFile = join(folder, `${algorithm}.key`);
  writeFileSync(signingFile, keyText(signingKey(algorithm)));
  const subjectFile = join(folder, 'subject.pem');
  writeFileSync(subjectFile, subjectKey.publicKey?.export({ type: 'spki', format: 'pem' }) ?? '');
  const named = Array.from({ length: audiences }, (_, index) => `audience-${index}`);
  return startBenchAgent({
    'jwt-algorithm': 'RS256',
    'jwt-public-key': subjectFile,
    'jwt-issuer': issuer,
    'jwt-audience': audience,
    'token-exchange': {
      enabled: true,
      issuer: 'https://gateway.bench.example',
      'signing-key-file': signingFile,
      'signing-algorithm': algorithm,
      'allowed-exchanges': [{ 'subject-token-type': 'jwt', 'issued-token-type': 'access_token' }],
      'rate-limit': null,
      clients: {
        client: Array.from({ length: clients }, (_, index) => ({
          name: `client-${index}`,
          secret: index === 0 ? clientSecret : `${clientSecret}-${index}`,
          'allowed-audiences': named,
        })),
      },
    },
  });
};

/** jose alone: verify the one, sign the other. */
const library = ({ subjectKey, tokens }: Material, algorithm: Algorithm): Check => {
  const { privateKey } = signingKey(algorithm);
  const options = { algorithms: ['RS256'], issuer, audience };
  return {
    run: async (index) => {
      const token = tokens[index % tokenCount] as string;
      const { payload } = await jwtVerify(token, subjectKey.publicKey as KeyObject, options);
      return new SignJWT({ scope: 'read', client_id: 'client-0' })
        .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid: 'bench' })
        .setIssuer('https://gateway.bench.example')
        .setSubject(payload.sub ?? '')
        .setAudience('audience-0')
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .setNotBefore('0s')
        .setExpirationTime('1h')
        .sign(privateKey as KeyObject);
    },
  };
};

export const prepareComparisons = async (): Promise<PreparedComparisons> => {
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-exchange-'));
  const subjectKey = signingKey('RS256');
  const material: Material = { folder, subjectKey, tokens: tokensOf(subjectKey) };
  const forms = material.tokens.map(formOf);
  const agents: BenchAgent[] = [];
  const posting = async (algorithm: Algorithm, crowd: Crowd): Promise<Check> => {
    const agent = await exchangeAgent(material, algorithm, crowd);
    agents.push(agent);
    return agent.posting(endpoint, basic, forms);
  };
  const comparisons: Comparison[] = [];
  for (const algorithm of algorithms) {
    comparisons.push({
      name: algorithm,
      describes: `an RS256 token for an access token signed with ${algorithm}`,
      rows: [
        { name: 'jose', describes: 'jwtVerify and SignJWT of jose', check: library(material, algorithm) },
        {
          name: 'agent',
          describes: 'the whole exchange',
          check: await posting(algorithm, { clients: 1, audiences: 1 }),
        },
      ],
    });
  }
  const crowds: readonly Crowd[] = [
    { clients: 10, audiences: 10 },
    { clients: 1_000, audiences: 10 },
    { clients: 10, audiences: 1_000 },
  ];
  comparisons.push({
    name: 'growth',
    describes: 'the same exchange (ES256) among more clients and audiences',
    rows: await Promise.all(
      crowds.map(async (crowd) => ({
        name: `${crowd.clients} clients, ${crowd.audiences} audiences`,
        describes: 'the whole exchange',
        check: await posting('ES256', crowd),
      })),
    ),
  });
  const stop = async () => {
    for (const agent of agents) agent.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { comparisons, stop };
};
