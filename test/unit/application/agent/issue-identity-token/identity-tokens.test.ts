import { describe, expect, it } from 'vitest';
import { IdentityTokens } from '../../../../../src/application/agent/issue-identity-token/identity-tokens.js';
import type { Identity } from '../../../../../src/domain/agent/identity/identity.js';
import type { HeaderOperation } from '../../../../../src/domain/agent-protocol/messages.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const options = {
  issuer: 'https://gw.example',
  signingKeyFiles: ['key.pem'],
  signingAlgorithm: 'ES256',
  audience: '{upstream}',
  header: 'X-Identity-Token',
  ttlMs: 60_000,
  jwksPath: '/keys',
} as const;

const identity = (userId: string, claims: Identity['claims'] = null): Identity => ({
  method: 'jwt',
  userId,
  claims,
  certificate: null,
});

const issuing = (sign?: () => Promise<string>) => {
  const clock = new ManualClock();
  let signatures = 0;
  const tokens = new IdentityTokens({
    options,
    rules: { forwardedClaims: null, maxClaimBytes: 2_048 },
    key: {
      sign: (type, payload) => {
        signatures += 1;
        return sign?.() ?? Promise.resolve(`${type}.${signatures}.${payload}`);
      },
    },
    clock,
    random: { uuid: () => 'an-id' },
    digest: { sha256Hex: (text) => text },
  });
  const tokenOf = async (who: Identity, upstream = 'back'): Promise<string> => {
    const header: HeaderOperation = await tokens.headerFor(who, upstream);
    return header.kind === 'set' ? header.value : '';
  };
  return { clock, tokens, tokenOf, signatures: () => signatures };
};

describe('identity tokens', () => {
  it('are signed once for requests at the same time, and afterwards available at once', async () => {
    const { tokens, tokenOf, signatures } = issuing();
    const ann = identity('ann');
    expect(new Set(await Promise.all([tokenOf(ann), tokenOf(ann), tokenOf(identity('ann'))])).size).toBe(1);
    expect(signatures()).toBe(1);
    expect(tokens.headerFor(ann, 'back')).not.toBeInstanceOf(Promise);
  });

  it('are reused for half of their lifetime, not longer', async () => {
    const { clock, tokenOf, signatures } = issuing();
    await tokenOf(identity('ann'));
    clock.advance(29_999);
    await tokenOf(identity('ann'));
    expect(signatures()).toBe(1);
    clock.advance(1);
    await tokenOf(identity('ann'));
    expect(signatures()).toBe(2);
  });

  it('differ for every upstream, user and statement', async () => {
    const { tokenOf, signatures } = issuing();
    const audienceOf = (token: string) => (JSON.parse(token.split('.').slice(2).join('.')) as { aud: string }).aud;
    expect(audienceOf(await tokenOf(identity('ann'), 'a'))).toBe('a');
    expect(audienceOf(await tokenOf(identity('ann'), 'b'))).toBe('b');
    await tokenOf(identity('bob'), 'a');
    await tokenOf(identity('ann', { groups: ['x'] }), 'a');
    await tokenOf(identity('ann', { groups: ['y'] }), 'a');
    await tokenOf(identity('ann', { client_id: 'web' }), 'a');
    await tokenOf(identity('ann', { scope: 'read' }), 'a');
    expect(signatures()).toBe(7);
    // A claim that no token has makes no difference.
    await tokenOf(identity('ann', { nonce: 'x' }), 'a');
    expect(signatures()).toBe(7);
  });

  it('are signed again after a failure', async () => {
    let fails = true;
    const { tokens, tokenOf } = issuing(() => (fails ? Promise.reject(new Error('no')) : Promise.resolve('signed')));
    await expect(tokenOf(identity('ann'))).rejects.toThrow('no');
    expect(tokens.size).toBe(0);
    fails = false;
    expect(await tokenOf(identity('ann'))).toBe('signed');
  });

  it('are at most 10,000 in the cache, and the oldest goes first', async () => {
    const { tokens, tokenOf, signatures } = issuing();
    for (let at = 0; at <= 10_000; at += 1) await tokenOf(identity(`user-${at}`));
    expect(tokens.size).toBe(10_000);
    await tokenOf(identity('user-10000'));
    expect(signatures()).toBe(10_001);
    await tokenOf(identity('user-0'));
    expect(signatures()).toBe(10_002);
  });
});
