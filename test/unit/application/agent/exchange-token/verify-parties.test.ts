import { describe, expect, it } from 'vitest';
import { newExchangeRecord } from '../../../../../src/application/agent/exchange-token/exchange-record.js';
import { VerifyParties } from '../../../../../src/application/agent/exchange-token/exchange-token.js';
import type { TokenFault } from '../../../../../src/application/agent/exchange-token/oauth-answers.js';
import { keyWaitMs } from '../../../../../src/application/agent/verify-tokens/provider-tokens.js';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { exchangeRequest } from '../../../../support/agent/asked-exchange.js';
import { actorFields, ExchangeWorld, samlFields } from '../../../../support/agent/fake-token-exchange.js';
import { signToken } from '../../../../support/agent/test-tokens.js';
import { corpIssuer, pairs, tokenParties } from '../../../../support/agent/token-parties.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const type = (name: string): string => `urn:ietf:params:oauth:token-type:${name}`;

/** Waits for keys that do not come, until nobody waits any more. */
const noKeys = (cancellation: Cancellation): Promise<TokenFault> =>
  new Promise((resolve) => {
    cancellation.onCancel(() => resolve({ kind: 'cancelled', detail: 'cancelled' }));
  });

/** A world where the subject's key comes after so long, and the actor's never. */
const slowWorld = (subjectMs: number): ExchangeWorld => {
  const world = new ExchangeWorld();
  world.during = (token, cancellation) => {
    if (token === actorFields['actor_token']) return noKeys(cancellation);
    return new Promise((resolve) => {
      world.scheduler.after(subjectMs, () => resolve(null));
    });
  };
  return world;
};

describe('the keys of subject and actor', () => {
  it.each([0, 300, keyWaitMs - 1])(
    'together wait no longer than the keys of one: %d ms of the subject count',
    async (subjectMs) => {
      const world = slowWorld(subjectMs);
      const answer = world.exchange(actorFields);
      await settled();
      await world.scheduler.advance(subjectMs);
      await world.scheduler.advance(keyWaitMs - subjectMs - 1);
      expect(world.results).toEqual([]);
      await world.scheduler.advance(1);
      await answer;
      expect(world.results).toEqual(['keys_unavailable']);
      expect(world.scheduler.waiting).toBe(0);
    },
  );

  it('need no wait if present: an actor is verified after the timeout', async () => {
    const world = slowWorld(keyWaitMs);
    const held = world.during;
    world.during = (token, cancellation) =>
      token === actorFields['actor_token'] ? Promise.resolve(null) : held(token, cancellation);
    const answer = world.exchange(actorFields);
    await settled();
    await world.scheduler.advance(keyWaitMs);
    await answer;
    expect(world.results).toEqual(['issued']);
    expect(world.scheduler.waiting).toBe(0);
  });

  it.each([
    ['at hand, with a key of the settings', 'local', true],
    ['not at hand', 'stranger', false],
  ] as const)('of a provider are %s: they alone decide an actor after the timeout', async (_, signer, isGood) => {
    const { tokens, clock, scheduler, source } = await tokenParties({ jwt: { issuer: null } });
    source.isHeld = true;
    const claims = { iss: corpIssuer, sub: 'ann', aud: 'api', iat: clock.seconds(), exp: clock.seconds() + 300 };
    const shown = (pair: keyof typeof pairs) => ({
      kind: 'jwt' as const,
      token: signToken('ES256', pairs[pair].privateKey, claims, { kid: 'new' }),
    });
    const request = exchangeRequest({ subject: shown('local'), actor: shown(signer) });
    const parties = new VerifyParties({ tokens, clock, scheduler });
    const verified = parties.verify(headersEvent('call-1'), request, newExchangeRecord(), neverCancelled);
    await settled();
    await scheduler.advance(keyWaitMs);
    await scheduler.advance(0);
    const end = await verified;
    if (isGood) expect(end).toMatchObject({ ok: true, value: { actor: { issuer: corpIssuer, isOwn: false } } });
    else expect(end).toMatchObject({ ok: false, error: { reason: 'keys_unavailable' } });
  });

  it('have their full timeout if the subject was an assertion', async () => {
    const world = slowWorld(700);
    const answer = world.exchange({ ...samlFields, ...actorFields });
    await settled();
    await world.scheduler.advance(700);
    await world.scheduler.advance(keyWaitMs - 1);
    expect(world.results).toEqual([]);
    await world.scheduler.advance(1);
    await answer;
    expect(world.results).toEqual(['keys_unavailable']);
  });

  it('do not delay an assertion of the actor', async () => {
    const world = slowWorld(0);
    const source = new CancellationSource();
    const answer = world.exchange({ ...actorFields, actor_token_type: type('saml2') }, {}, source);
    await settled();
    await world.scheduler.advance(10 * keyWaitMs);
    expect(world.results).toEqual([]);
    source.cancel();
    await answer;
    expect(world.results).toEqual(['cancelled']);
  });

  it('are not awaited after cancellation', async () => {
    const world = slowWorld(0);
    const source = new CancellationSource();
    const answer = world.exchange(actorFields, {}, source);
    await settled();
    await world.scheduler.advance(1);
    source.cancel();
    await answer;
    expect(world.results).toEqual(['cancelled']);
    expect(world.scheduler.waiting).toBe(0);
  });
});
