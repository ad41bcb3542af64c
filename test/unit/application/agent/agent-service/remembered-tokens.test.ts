import { expect, it } from 'vitest';
import type { VerificationKeys } from '../../../../../src/application/ports/agent/token-verifier.js';
import { ok } from '../../../../../src/domain/shared/result.js';
import { FakeKeySetSource } from '../../../../support/agent/fake-key-set-source.js';
import { startedTestAgent } from '../../../../support/agent/test-agent.js';
import { ecPair, publicJwk, signToken, tokenPart } from '../../../../support/agent/test-tokens.js';

const secret = 'a secret of more than 32 bytes, for tests alone';
const issuer = 'https://id.example';
const pair = ecPair();

const agentWithBoth = async () => {
  const keySetSource = new FakeKeySetSource();
  keySetSource.publish({ ...publicJwk(pair.publicKey), kid: 'first' });
  const oidc = { enabled: true, issuer, 'jwks-url': `${issuer}/keys`, audience: 'api' };
  const made = await startedTestAgent({ oidc, 'jwt-secret': secret }, { keySetSource });
  const ask = async (token: string) => {
    const { decision, audit } = await made.ask(['authorization', `Bearer ${token}`]);
    return decision.kind === 'block' ? audit.reasonCodes.join() : decision.kind;
  };
  const failures = () =>
    made.agent
      .metrics()
      .counters.filter(({ name }) => name === 'auth_failure_total')
      .map(({ labels }) => labels);
  return { ...made, ask, failures };
};

it.each(['jwt', 'oidc'])('a cached token that expires is reported under its own method: %s', async (method) => {
  const { ask, clock, failures } = await agentWithBoth();
  const claims = { iss: issuer, aud: 'api', sub: 'ann', exp: clock.seconds() + 60 };
  const token =
    method === 'jwt'
      ? signToken('HS256', secret, { ...claims, iss: 'https://elsewhere.example' })
      : signToken('ES256', pair.privateKey, claims, { kid: 'first' });
  expect(await ask(token)).toBe('allow');
  expect(await ask(token)).toBe('allow');
  clock.advance(60_000 + 30_000);
  expect(await ask(token)).toBe('expired');
  expect(failures()).toEqual([{ method, reason: 'expired' }]);
  expect(await ask(token)).toBe('expired');
  expect(failures()).toHaveLength(1);
});

it('the cache holds as many tokens as token-cache-size, even large ones', async () => {
  let verified = 0;
  const keys: VerificationKeys = {
    prepare: async () =>
      ok({
        isSigned: () => {
          verified += 1;
          return true;
        },
      }),
  };
  const size = 3_000;
  const { ask, clock } = await startedTestAgent({ 'jwt-secret': secret, 'token-cache-size': size }, { keys });
  const exp = clock.seconds() + 7_200;
  const filler = 'x'.repeat(2_800);
  const headers = Array.from({ length: size }, (_, index) => {
    const token = `${tokenPart({ alg: 'HS256' })}.${tokenPart({ sub: `user-${index}`, exp, filler })}.AAAA`;
    return ['authorization', `Bearer ${token}`];
  });
  for (const shown of [...headers, ...headers]) expect((await ask(shown)).decision.kind).toBe('allow');
  expect(verified).toBe(size);
});
