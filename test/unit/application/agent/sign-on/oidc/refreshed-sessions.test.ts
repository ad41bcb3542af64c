import { describe, expect, it } from 'vitest';
import { SessionCache } from '../../../../../../src/application/agent/sessions/session-cache.js';
import { Sessions } from '../../../../../../src/application/agent/sessions/sessions.js';
import type { RefreshOutcome } from '../../../../../../src/application/agent/sign-on/oidc/refresh-session-tokens.js';
import {
  localBackoffMs,
  maximumWaiting,
  RefreshedSessions,
  refreshPollMs,
  refreshWaitMs,
} from '../../../../../../src/application/agent/sign-on/oidc/refreshed-sessions.js';
import {
  refreshDeadlineMs,
  refreshLeaseMs,
  SessionRefreshes,
  tokenStoreDeadlineMs,
} from '../../../../../../src/application/agent/sign-on/oidc/session-refreshes.js';
import {
  failedRefreshDetails,
  type RefreshPolicy,
  tokenDetails,
} from '../../../../../../src/domain/agent/oidc/token-refresh.js';
import type { Session } from '../../../../../../src/domain/agent/sessions/session.js';
import { FakeSessionStore } from '../../../../../support/agent/fake-session-store.js';
import {
  preparedIdentityOf,
  sessionIdOf,
  sessionOf,
  sha256Hex,
} from '../../../../../support/agent/remembered-sessions.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const provider = 'https://id.example corp';
const ann = sessionIdOf('ann');
const lifetimeMs = 100_000;
const forwarded: RefreshPolicy = { forwards: true, graceMs: 0 };

/** Processes that share a store, at a provider that answers when the test says so. */
const place = (policy: RefreshPolicy = forwarded) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const store = new FakeSessionStore();
  const results: string[] = [];
  const logger = new RecordingLogger();
  const asked: { readonly answer: (outcome: RefreshOutcome) => void; isCancelled: boolean }[] = [];
  const tokens = (name: string) =>
    tokenDetails({ accessToken: name, refreshToken: `refresh ${name}`, fromMs: clock.wallMs(), lifetimeMs });
  const session = sessionOf('ann', clock.wallMs(), {
    method: 'oidc',
    provider,
    details: { claims: '{"sub":"ann"}', ...tokens('first') },
  });
  store.sessions.set(session.idHash, session);
  const login = {
    name: 'corp',
    policy,
    refresh: (_id: string, _session: Session, cancellation: { onCancel(listener: () => void): unknown }) =>
      new Promise<RefreshOutcome>((resolve) => {
        const call = { answer: resolve, isCancelled: false };
        asked.push(call);
        cancellation.onCancel(() => {
          call.isCancelled = true;
          resolve({ kind: 'failed', reason: 'timed_out', detail: null, details: session.details });
        });
      }),
  };
  let holders = 0;
  const process = () => {
    const known = new SessionCache(store, clock);
    const evict = (idHash: string) => known.ended(idHash);
    const sessions = new Sessions({
      store,
      known,
      clock,
      scheduler,
      digest: { sha256Hex },
      prepare: preparedIdentityOf,
      idleMs: null,
      accepts: () => true,
    });
    const random = { token: () => `holder ${++holders}`, fraction: () => 1 };
    const outcomes = { refreshedTokens: (result: string) => void results.push(result) };
    const refreshes = new SessionRefreshes({ store, evict, clock, scheduler, random, logger, outcomes });
    const logins = new Map([[provider, login]]);
    const refreshed = new RefreshedSessions({ sessions, refreshes, evict, logins, clock, scheduler });
    /** What a request with the session gets: the access token, or the kind of the failure. */
    const ask = async (): Promise<string> => {
      const result = await refreshed.check(ann);
      return result.kind === 'active' ? `${result.session.details['access_token']}` : result.kind;
    };
    return { ask, refreshed, refreshes };
  };
  const renewed = (name: string): RefreshOutcome => ({
    kind: 'refreshed',
    details: { claims: '{"sub":"ann"}', ...tokens(name) },
  });
  const failure = (): RefreshOutcome => ({
    kind: 'failed',
    reason: 'token_endpoint_failed',
    detail: 'the token endpoint: timeout',
    details: store.sessions.get(session.idHash)?.details ?? {},
  });
  return { clock, scheduler, store, session, asked, results, logger, process, renewed, failure };
};

describe('a session with tokens', () => {
  it('costs no call while its access token is fresh', async () => {
    const { process, store, asked, scheduler } = place();
    const { ask, refreshed } = process();
    expect(await ask()).toBe('first');
    await scheduler.advance(4_000);
    expect(refreshed.check(ann)).toMatchObject({ kind: 'active' });
    expect([store.asked('find'), store.asked('takeRefreshLease'), asked.length]).toEqual([1, 0, 0]);
  });

  it('goes on while it is refreshed before the end, once for all requests', async () => {
    const { process, store, asked, scheduler, renewed, results } = place();
    const { ask } = process();
    await scheduler.advance(70_000);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['first', 'first', 'first']);
    expect(asked).toHaveLength(1);
    asked[0]?.answer(renewed('second'));
    await settled();
    expect(await ask()).toBe('second');
    expect([asked.length, store.asked('takeRefreshLease'), results]).toEqual([1, 1, ['refreshed']]);
  });

  it('is refreshed once for all requests of all processes after the end', async () => {
    const { process, asked, scheduler, renewed, results } = place();
    const processes = [process(), process(), process()];
    await scheduler.advance(lifetimeMs);
    const answers = Promise.all(processes.flatMap(({ ask }) => [ask(), ask(), ask(), ask()]));
    await settled();
    await scheduler.advance(refreshPollMs);
    expect(asked).toHaveLength(1);
    asked[0]?.answer(renewed('second'));
    await settled();
    await scheduler.advance(refreshPollMs);
    expect(await answers).toEqual(Array(12).fill('second'));
    expect([asked.length, results]).toEqual([1, ['refreshed']]);
  });

  it('that another process has refreshed is read again, not refreshed again', async () => {
    const { process, asked, scheduler, renewed } = place();
    const [one, other] = [process(), process()];
    await scheduler.advance(67_000);
    expect(await other.ask()).toBe('first');
    await scheduler.advance(3_000);
    await one.ask();
    asked[0]?.answer(renewed('second'));
    await settled();
    // Its cache still has the former token.
    expect(await other.ask()).toBe('first');
    await settled();
    expect(await other.ask()).toBe('second');
    expect(asked).toHaveLength(1);
  });

  it('without forwarded tokens goes on for the grace while refreshes fail, then not', async () => {
    const { process, asked, scheduler, failure } = place({ forwards: false, graceMs: 60_000 });
    const { ask } = process();
    await scheduler.advance(lifetimeMs + 59_000);
    expect(await ask()).toBe('first');
    asked[0]?.answer(failure());
    await settled();
    await scheduler.advance(2_000);
    const late = ask();
    await settled();
    asked[1]?.answer(failure());
    expect(await late).toBe('not_refreshed');
  });

  it('gets 503 during the back-off, which all processes share, and is retried afterwards', async () => {
    const { process, asked, scheduler, renewed, failure, results, logger } = place();
    const [one, other] = [process(), process()];
    await scheduler.advance(lifetimeMs);
    const first = one.ask();
    await settled();
    asked[0]?.answer(failure());
    expect(await first).toBe('not_refreshed');
    expect([await one.ask(), await other.ask(), await other.ask()]).toEqual(Array(3).fill('not_refreshed'));
    expect(asked).toHaveLength(1);
    expect(logger.lines).toMatchObject([
      { level: 'warn', message: 'the tokens of a session could not be refreshed', fields: { login: 'corp' } },
    ]);
    await scheduler.advance(localBackoffMs);
    const second = other.ask();
    await settled();
    asked[1]?.answer(renewed('second'));
    expect(await second).toBe('second');
    expect(results).toEqual(['token_endpoint_failed', 'refreshed']);
  });

  it('backs off longer after each failure, and starts over after a success', async () => {
    const { process, asked, scheduler, renewed, failure, store, session } = place();
    const { ask } = process();
    await scheduler.advance(lifetimeMs);
    for (let failures = 1; failures <= 3; failures += 1) {
      const answer = ask();
      await settled();
      asked.at(-1)?.answer(failure());
      expect(await answer).toBe('not_refreshed');
      await scheduler.advance(1_000 * 2 ** (failures - 1) - 1);
      expect([await ask(), asked.length]).toEqual(['not_refreshed', failures]);
      await scheduler.advance(localBackoffMs);
    }
    const answer = ask();
    await settled();
    asked.at(-1)?.answer(renewed('fourth'));
    expect(await answer).toBe('fourth');
    expect(store.sessions.get(session.idHash)?.details).not.toHaveProperty('refresh_failures');
  });

  it('ends in every process when the provider refuses the refresh token', async () => {
    const { process, asked, scheduler, store, results, logger, session } = place();
    const [one, other] = [process(), process()];
    await scheduler.advance(lifetimeMs);
    const answers = [one.ask(), one.ask(), other.ask()];
    await settled();
    await scheduler.advance(refreshPollMs);
    asked[0]?.answer({ kind: 'ends', reason: 'invalid_grant' });
    await settled();
    await scheduler.advance(refreshPollMs);
    expect(await Promise.all(answers)).toEqual(['expired', 'expired', 'expired']);
    expect([store.sessions.size, results]).toEqual([0, ['invalid_grant']]);
    expect(await one.ask()).toBe('unknown');
    expect(logger.lines.at(-1)).toEqual({
      level: 'info',
      message: 'the session ended at a refresh of its tokens',
      fields: { login: 'corp', reason: 'invalid_grant', user: 'ann', session: session.idHash.slice(0, 12) },
    });
  });

  it('goes on in another process after the lease of one that died', async () => {
    const { process, asked, scheduler, renewed, store, session } = place();
    await scheduler.advance(lifetimeMs);
    void process().ask();
    await settled();
    expect(asked).toHaveLength(1);
    // The first process is gone: its refresh never answers.
    const other = process();
    const waiting = other.ask();
    await settled();
    await scheduler.advance(refreshWaitMs + refreshPollMs);
    expect(await waiting).toBe('not_refreshed');
    expect(store.sessions.get(session.idHash)).toEqual(session);
    const lease = store.leases.get(session.idHash);
    store.leases.set(session.idHash, { holder: 'dead', untilMs: lease?.untilMs ?? 0 });
    await scheduler.advance(refreshLeaseMs);
    const again = other.ask();
    await settled();
    asked.at(-1)?.answer(renewed('second'));
    expect(await again).toBe('second');
  });

  it('gets no tokens from a holder that lost its lease', async () => {
    const { process, asked, scheduler, renewed, store, session, results } = place();
    await scheduler.advance(lifetimeMs);
    const slow = process().ask();
    await settled();
    store.leases.set(session.idHash, { holder: 'next', untilMs: Number.MAX_SAFE_INTEGER });
    const { details } = renewed('of the next') as { readonly details: Session['details'] };
    store.sessions.set(session.idHash, { ...session, details });
    asked[0]?.answer({ kind: 'ends', reason: 'invalid_grant' });
    expect(await slow).toBe('of the next');
    expect([store.sessions.size, results]).toEqual([1, []]);
  });

  it('waits a limited time for the provider, whose answer still counts', async () => {
    const { process, asked, scheduler, renewed } = place();
    const { ask } = process();
    await scheduler.advance(lifetimeMs);
    const impatient = ask();
    await settled();
    await scheduler.advance(refreshWaitMs);
    expect(await impatient).toBe('not_refreshed');
    asked[0]?.answer(renewed('late'));
    await settled();
    expect(await ask()).toBe('late');
    expect(asked).toHaveLength(1);
  });

  it('pauses after fresh tokens that have expired on arrival', async () => {
    const { process, asked, clock, scheduler } = place();
    const { ask } = process();
    await scheduler.advance(lifetimeMs);
    const answer = ask();
    await settled();
    const late = { accessToken: 'late', refreshToken: 'next', fromMs: clock.wallMs() - 10, lifetimeMs: 5 };
    asked[0]?.answer({ kind: 'refreshed', details: { claims: '{"sub":"ann"}', ...tokenDetails(late) } });
    expect([await answer, await ask(), asked.length]).toEqual(['not_refreshed', 'not_refreshed', 1]);
    await scheduler.advance(localBackoffMs);
    void ask();
    await settled();
    expect(asked).toHaveLength(2);
  });

  it('lets a bounded number of requests wait, so that others are served', async () => {
    const { process, asked, scheduler, renewed } = place();
    const { ask, refreshed } = process();
    expect(await ask()).toBe('first');
    await scheduler.advance(lifetimeMs);
    const waiting = Array.from({ length: maximumWaiting }, () => ask());
    await settled();
    expect(refreshed.check(ann)).toMatchObject({ kind: 'not_refreshed' });
    asked[0]?.answer(renewed('second'));
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['second']));
    expect(await ask()).toBe('second');
  });

  it('cancels the calls to a provider that does not answer before the lease ends', async () => {
    const { process, asked, scheduler, results } = place();
    const { ask } = process();
    await scheduler.advance(lifetimeMs);
    void ask();
    await settled();
    await scheduler.advance(refreshDeadlineMs - 1);
    expect(asked[0]?.isCancelled).toBe(false);
    await scheduler.advance(1);
    expect([asked[0]?.isCancelled, results]).toEqual([true, ['timed_out']]);
    expect(refreshDeadlineMs).toBeLessThan(refreshLeaseMs);
  });

  it('keeps a rotated refresh token of a refresh that failed afterwards', async () => {
    const { process, asked, scheduler, store, session } = place();
    const { ask } = process();
    await scheduler.advance(lifetimeMs);
    const answer = ask();
    await settled();
    const details = { ...session.details, refresh_token: 'rotated' };
    asked[0]?.answer({ kind: 'failed', reason: 'userinfo_failed', detail: null, details });
    expect(await answer).toBe('not_refreshed');
    expect(store.sessions.get(session.idHash)?.details).toEqual(failedRefreshDetails(details));
  });

  it('is not refreshed while the store fails, and its fresh tokens are stored when it works again', async () => {
    const { process, asked, scheduler, store, renewed, results } = place();
    const { ask } = process();
    await scheduler.advance(70_000);
    expect(await ask()).toBe('first');
    store.isDown = true;
    asked[0]?.answer(renewed('second'));
    await settled();
    // A failover. The former token is still valid.
    const outageMs = tokenStoreDeadlineMs - 1_000;
    await scheduler.advance(outageMs);
    expect(await ask()).toBe('first');
    store.isDown = false;
    await scheduler.advance(300);
    expect(await ask()).toBe('second');
    expect(results).toEqual(['refreshed']);
    await scheduler.advance(70_000 - outageMs);
    expect(await ask()).toBe('second');
    store.isDown = true;
    asked[1]?.answer(renewed('third'));
    await settled();
    await scheduler.advance(tokenStoreDeadlineMs + 1_000);
    expect(results).toEqual(['refreshed', 'store_unavailable']);
    await scheduler.advance(30_000);
    expect(await ask()).toBe('not_refreshed');
  });

  it('has a refresh that outlives its configuration, and begins none afterwards', async () => {
    const { process, asked, scheduler, renewed, store, session } = place();
    const { ask, refreshes } = process();
    await scheduler.advance(70_000);
    expect(await ask()).toBe('first');
    let isStopped = false;
    const stopped = refreshes.stop().then(() => {
      isStopped = true;
    });
    await settled();
    expect(isStopped).toBe(false);
    asked[0]?.answer(renewed('second'));
    await stopped;
    expect(store.sessions.get(session.idHash)?.details['access_token']).toBe('second');
    await scheduler.advance(70_000);
    expect(await ask()).toBe('second');
    await settled();
    expect(asked).toHaveLength(1);
  });

  it('of SAML, or of a login that is not configured, is left alone', async () => {
    const { process, store, session, scheduler, asked } = place();
    const { ask } = process();
    store.sessions.set(session.idHash, { ...session, provider: 'https://other.example corp' });
    await scheduler.advance(lifetimeMs);
    expect(await ask()).toBe('first');
    store.sessions.set(session.idHash, { ...session, method: 'saml' });
    await scheduler.advance(6_000);
    expect(await ask()).toBe('first');
    expect([asked.length, store.asked('takeRefreshLease')]).toEqual([0, 0]);
  });
});
