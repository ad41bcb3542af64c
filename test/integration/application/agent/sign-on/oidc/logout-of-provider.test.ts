import { describe, expect } from 'vitest';
import { MemoryStoreOpener } from '../../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { noOtherProcesses } from '../../../../../../src/application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../../../../../src/application/agent/sessions/session-store-leases.js';
import type {
  SessionStoreOpener,
  SessionStores,
} from '../../../../../../src/application/ports/agent/session-stores.js';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';
import { err, ok } from '../../../../../../src/domain/shared/result.js';
import type { Changes } from '../../../../../support/agent/lying-oidc-provider.js';
import { loginConfig, oidcPlace } from '../../../../../support/agent/oidc-agent.js';
import { publicPem, rsaPair, tokenPart } from '../../../../../support/agent/test-tokens.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const event = 'http://schemas.openid.net/event/backchannel-logout';
const backChannel = '/oidc/backchannel-logout';
const frontChannel = '/oidc/frontchannel-logout';

type CleanUp = Parameters<typeof oidcPlace>[0];

/** A store in memory that cannot remove the sessions of a subject while it is broken. */
class BreakingStore implements SessionStoreOpener {
  isBroken = false;
  readonly #opener = new MemoryStoreOpener();

  async open(): ReturnType<SessionStoreOpener['open']> {
    const opened = await this.#opener.open({ kind: 'memory' });
    if (!opened.ok) return opened;
    const { sessions, replays, requests, forms } = opened.value;
    const removeOfSubject: SessionStores['sessions']['removeOfSubject'] = async (subject) =>
      this.isBroken ? err({ reason: 'the disk is gone' }) : sessions.removeOfSubject(subject);
    const breaking = new Proxy(sessions, {
      get: (target, name: keyof typeof sessions) =>
        name === 'removeOfSubject' ? removeOfSubject : target[name].bind(target),
    });
    return ok({
      sessions: breaking,
      replays,
      requests,
      forms,
      isLost: () => opened.value.isLost(),
      close: () => opened.value.close(),
    });
  }
}

/** A provider that names its sessions, and browsers that are signed on. */
const place = async (
  cleanUp: CleanUp,
  login: JsonObject = {},
  opener: SessionStoreOpener = new MemoryStoreOpener(),
) => {
  const clock = new ManualClock();
  const stores = new SessionStoreLeases({ opener, clock, logger: new RecordingLogger(), endings: noOtherProcesses });
  const made = await oidcPlace(cleanUp, login, {}, { sessions: { stores } });
  const { provider, newBrowser } = made;
  const signOn = async (sid: string, sub = 'ann') => {
    provider.user = { sub, sid };
    const browser = newBrowser();
    expect((await browser.callback(provider.authorize(await browser.begin()))).status).toBe(302);
    return browser;
  };
  let last = 0;
  const claims = (changes: Changes = {}): Changes => {
    last += 1;
    const now = made.clock.seconds();
    const names = { iss: provider.issuer, aud: 'portal', iat: now, exp: now + 120, jti: `j${last}` };
    return { ...names, events: { [event]: {} }, ...changes };
  };
  const post = (token: string) => newBrowser().post(backChannel, { logout_token: token });
  const logout = (changes: Changes, header: Changes = { typ: 'logout+jwt' }) =>
    post(provider.sign(claims(changes), header));
  const reasons = () =>
    made.logger.lines.filter(({ message }) => message.startsWith('sign-out')).map(({ fields }) => fields['reason']);
  return { ...made, signOn, claims, post, logout, reasons };
};

describe('a back-channel logout', () => {
  it('ends the session that it names, and no other', async ({ cleanUp }) => {
    const { signOn, logout } = await place(cleanUp);
    const [one, two, other] = [await signOn('s1'), await signOn('s2'), await signOn('s3', 'bob')];
    expect(await logout({ sid: 's1' })).toMatchObject({ status: 200 });
    expect((await one.get('/orders')).status).toBe(302);
    expect((await two.get('/orders')).status).toBe(200);
    expect(await logout({ sub: 'ann', sid: 's9' })).toMatchObject({ status: 200 });
    expect((await two.get('/orders')).status).toBe(200);
    expect(await logout({ sub: 'ann' })).toMatchObject({ status: 200 });
    expect((await two.get('/orders')).status).toBe(302);
    expect((await other.get('/orders')).status).toBe(200);
  });

  it('may have the type JWT, or none', async ({ cleanUp }) => {
    const { logout } = await place(cleanUp);
    expect((await logout({ sub: 'ann' }, { typ: 'JWT' })).status).toBe(200);
    expect((await logout({ sub: 'ann' }, { typ: undefined })).status).toBe(200);
  });

  it('ends nothing the second time', async ({ cleanUp }) => {
    const { signOn, provider, claims, post, reasons } = await place(cleanUp);
    const token = provider.sign(claims({ sub: 'ann' }));
    expect((await post(token)).status).toBe(200);
    const browser = await signOn('s2');
    expect((await post(token)).status).toBe(400);
    expect(reasons()).toEqual(['replayed']);
    expect((await browser.get('/orders')).status).toBe(200);
  });

  it('ends the sessions when it comes again, if they had not ended the first time', async ({ cleanUp }) => {
    const store = new BreakingStore();
    const { signOn, provider, claims, post, reasons } = await place(cleanUp, {}, store);
    const browser = await signOn('s1');
    const token = provider.sign(claims({ sub: 'ann' }));
    store.isBroken = true;
    expect((await post(token)).status).toBe(400);
    store.isBroken = false;
    expect((await browser.get('/orders')).status).toBe(200);
    expect((await post(token)).status).toBe(200);
    expect((await browser.get('/orders')).status).toBe(302);
    expect((await post(token)).status).toBe(400);
    expect(reasons()).toEqual(['store_unavailable', 'replayed']);
  });

  it('reaches the logins of its issuer alone', async ({ cleanUp }) => {
    const made = await oidcPlace(cleanUp, (provider) => [
      loginConfig(provider),
      loginConfig(provider, { name: 'other', 'client-id': 'other', issuer: `${provider.issuer}/other` }),
    ]);
    const token = made.provider.sign({ iss: `${made.provider.issuer}/none`, sub: 'ann' });
    expect((await made.newBrowser().post(backChannel, { logout_token: token })).status).toBe(400);
  });

  it('is refused with one log line and no effect', async ({ cleanUp }) => {
    const { signOn, provider, claims, post, logout, reasons, clock } = await place(cleanUp);
    const browser = await signOn('s1');
    const names = { sub: 'ann', sid: 's1' };
    const now = clock.seconds();
    const stranger = rsaPair();
    const unsigned = `${tokenPart({ alg: 'none', typ: 'logout+jwt' })}.${tokenPart(claims(names))}.`;
    const signed = provider.sign(claims(names)).split('.');
    const attacks: readonly (readonly [string, Promise<{ readonly status: number }>])[] = [
      ['wrong_algorithm', post(unsigned)],
      ['wrong_algorithm', post(provider.sign(claims(names), {}, provider.clientSecret, 'HS256'))],
      ['wrong_algorithm', post(provider.sign(claims(names), {}, publicPem(provider.key.publicKey), 'HS256'))],
      ['wrong_algorithm', post(provider.sign(claims(names), {}, stranger.privateKey, 'RS256'))],
      ['bad_signature', post(`${signed[0]}.${tokenPart(claims({ sub: 'bob' }))}.${signed[2]}`)],
      ['critical_header', logout(names, { crit: ['x'], x: 1 })],
      ['wrong_type', logout(names, { typ: 'at+jwt' })],
      ['wrong_audience', logout({ ...names, aud: 'other' })],
      ['unknown_issuer', logout({ ...names, iss: 'https://evil.example' })],
      ['unexpected_nonce', logout({ ...names, nonce: 'n' })],
      ['wrong_event', logout({ ...names, events: { 'urn:other': {} } })],
      ['wrong_event', logout({ ...names, events: undefined })],
      ['issued_too_long_ago', logout({ ...names, iat: now - 151 })],
      ['issued_in_future', logout({ ...names, iat: now + 60 })],
      ['expired', logout({ ...names, exp: now - 31 })],
      ['missing_token_id', logout({ ...names, jti: undefined })],
      ['names_no_session', logout({})],
      ['too_large', logout({ ...names, long: 'x'.repeat(17_000) })],
      ['malformed', post('a.b.c')],
    ];
    for (const [reason, answer] of attacks) expect([reason, (await answer).status]).toEqual([reason, 400]);
    expect(reasons().toSorted()).toEqual(attacks.map(([reason]) => reason).toSorted());
    expect((await browser.get('/orders')).status).toBe(200);
  });

  it('is refused without a token, with two methods, and if it is huge', async ({ cleanUp }) => {
    const { newBrowser, reasons, post } = await place(cleanUp);
    const browser = newBrowser();
    expect((await browser.get(backChannel)).status).toBe(405);
    expect((await browser.post(backChannel, {})).status).toBe(400);
    expect((await browser.post(backChannel, { token: 'x' })).status).toBe(400);
    expect((await post('x'.repeat(100_000))).status).toBe(400);
    expect(reasons()).toEqual(['malformed_form', 'malformed_form', 'form_too_large']);
  });
});

describe('a front-channel logout', () => {
  it('ends the session that it names, in a frame of the provider alone', async ({ cleanUp }) => {
    const { signOn, provider, newBrowser } = await place(cleanUp);
    const [one, two] = [await signOn('s1'), await signOn('s2')];
    const query = new URLSearchParams({ iss: provider.issuer, sid: 's1' });
    const answer = await newBrowser().get(`${frontChannel}?${query}`);
    expect(answer.status).toBe(200);
    expect(answer.body).not.toContain('<script');
    expect(JSON.stringify(answer.answer)).toContain(`frame-ancestors ${provider.issuer}"`);
    expect(JSON.stringify(answer.answer)).toContain('no-store');
    expect((await one.get('/orders')).status).toBe(302);
    expect((await two.get('/orders')).status).toBe(200);
  });

  it('ends nothing without both names, or with those of another provider', async ({ cleanUp }) => {
    const { signOn, provider, newBrowser } = await place(cleanUp);
    const browser = await signOn('s1');
    const { issuer: iss } = provider;
    const shown = async (query: string) => (await newBrowser().get(`${frontChannel}?${query}`)).status;
    expect(await shown('')).toBe(400);
    expect(await shown(`iss=${iss}`)).toBe(400);
    expect(await shown('sid=s1')).toBe(400);
    expect(await shown(`iss=${iss}&sid=s1&sid=s1`)).toBe(400);
    expect(await shown('iss=https://evil.example&sid=s1')).toBe(403);
    expect(await shown(`iss=${iss}&sid=S1`)).toBe(200);
    expect((await browser.get('/orders')).status).toBe(200);
  });
});
