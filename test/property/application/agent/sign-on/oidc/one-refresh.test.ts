import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStoreOpener } from '../../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { SessionCache } from '../../../../../../src/application/agent/sessions/session-cache.js';
import { Sessions } from '../../../../../../src/application/agent/sessions/sessions.js';
import type { RefreshOutcome } from '../../../../../../src/application/agent/sign-on/oidc/refresh-session-tokens.js';
import { RefreshedSessions } from '../../../../../../src/application/agent/sign-on/oidc/refreshed-sessions.js';
import { SessionRefreshes } from '../../../../../../src/application/agent/sign-on/oidc/session-refreshes.js';
import { tokenDetails } from '../../../../../../src/domain/agent/oidc/token-refresh.js';
import type { Session } from '../../../../../../src/domain/agent/sessions/session.js';
import {
  preparedIdentityOf,
  sessionIdOf,
  sessionOf,
  sha256Hex,
} from '../../../../../support/agent/remembered-sessions.js';
import { succeeded } from '../../../../../support/agent/test-sessions.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const provider = 'https://id.example corp';
const ann = sessionIdOf('ann');
const lifetimeMs = 20_000;

interface ProviderCall {
  readonly answer: (outcome: RefreshOutcome) => void;
  readonly session: Session;
}

/** A provider with rotation, and processes that share a session of it. */
const place = async (forwards: boolean, processes: number) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const { sessions: store } = await succeeded(new MemoryStoreOpener().open({ kind: 'memory' }));
  let rotations = 0;
  const tokens = () =>
    tokenDetails({
      accessToken: `access ${rotations}`,
      refreshToken: `refresh ${rotations}`,
      fromMs: clock.wallMs(),
      lifetimeMs,
    });
  const session = sessionOf('ann', clock.wallMs(), { method: 'oidc', provider, details: tokens() });
  await succeeded(store.insert(session));
  const calls: ProviderCall[] = [];
  const presented: string[] = [];
  const login = {
    name: 'corp',
    policy: { forwards, graceMs: 3_000 },
    refresh: (_id: string, asked: Session, cancellation: { onCancel(listener: () => void): unknown }) =>
      new Promise<RefreshOutcome>((resolve) => {
        const call: ProviderCall = {
          session: asked,
          answer: (outcome) => {
            calls.splice(calls.indexOf(call), 1);
            resolve(outcome);
          },
        };
        calls.push(call);
        presented.push(`${asked.details['refresh_token']}`);
        cancellation.onCancel(() => {
          if (!calls.includes(call)) return;
          call.answer({ kind: 'failed', reason: 'timed_out', detail: null, details: asked.details });
        });
      }),
  };
  let holders = 0;
  const members = Array.from({ length: processes }, () => {
    const known = new SessionCache(store, clock);
    const evict = (idHash: string) => known.ended(idHash);
    const parts = { store, known, clock, scheduler, digest: { sha256Hex }, prepare: preparedIdentityOf };
    const sessions = new Sessions({ ...parts, idleMs: null, accepts: () => true });
    const random = { token: () => `holder ${++holders}`, fraction: () => 0.5 };
    const outcomes = { refreshedTokens: () => undefined };
    const logger = new RecordingLogger();
    const refreshes = new SessionRefreshes({ store, evict, clock, scheduler, random, logger, outcomes });
    const logins = new Map([[provider, login]]);
    return new RefreshedSessions({ sessions, refreshes, evict, logins, clock, scheduler });
  });
  /** The provider spends the refresh token and gives another. */
  const rotate = (call: ProviderCall, isWhole: boolean): void => {
    rotations += 1;
    const details = isWhole ? tokens() : { ...call.session.details, refresh_token: `refresh ${rotations}` };
    call.answer(
      isWhole ? { kind: 'refreshed', details } : { kind: 'failed', reason: 'userinfo_failed', detail: null, details },
    );
  };
  const fail = (call: ProviderCall): void =>
    call.answer({
      kind: 'failed',
      reason: 'token_endpoint_failed',
      detail: null,
      details: call.session.details,
    });
  return { clock, scheduler, members, calls, presented, rotate, fail, latest: () => `refresh ${rotations}` };
};

type World = Awaited<ReturnType<typeof place>>;
type Step = (world: World) => Promise<void> | void;

const answers: readonly ((world: World, call: ProviderCall) => void)[] = [
  ({ rotate }, call) => rotate(call, true),
  ({ rotate }, call) => rotate(call, false),
  ({ fail }, call) => fail(call),
];

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.nat(2).map(
      (index): Step =>
        ({ members, clock }) => {
          const member = members[index % members.length] as RefreshedSessions;
          const askedMs = clock.wallMs();
          void Promise.resolve(member.check(ann)).then((result) => {
            // Nobody ends the session, so it opens, or has no fresh token.
            expect(['active', 'not_refreshed']).toContain(result.kind);
            if (result.kind !== 'active') return;
            const until = Number(result.session.details['tokens_until_ms']);
            expect(until + 3_000).toBeGreaterThan(askedMs);
          });
        },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 9_000 }).map(
      (ms): Step =>
        ({ scheduler }) =>
          scheduler.advance(ms),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...answers).map(
      (answer): Step =>
        (world) => {
          const [call] = world.calls;
          if (call !== undefined) answer(world, call);
        },
    ),
  },
);

describe('processes that share a session', () => {
  it('never ask the provider twice at once, and never with a refresh token that it has replaced', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.integer({ min: 1, max: 3 }),
        fc.array(steps, { minLength: 10, maxLength: 60 }),
        async (forwards, processes, sequence) => {
          const world = await place(forwards, processes);
          for (const step of sequence) {
            await step(world);
            await settled();
            expect(world.calls.length).toBeLessThan(2);
            for (const call of world.calls) expect(call.session.details['refresh_token']).toBe(world.latest());
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('get a token that is valid, if it is forwarded', async () => {
    const world = await place(true, 2);
    await world.scheduler.advance(lifetimeMs);
    const results = Promise.all(world.members.map((member) => member.check(ann)));
    await settled();
    world.rotate(world.calls[0] as ProviderCall, true);
    await settled();
    await world.scheduler.advance(1_000);
    for (const result of await results) {
      expect(result).toMatchObject({ kind: 'active', session: { details: { access_token: 'access 1' } } });
    }
    expect(world.presented).toEqual(['refresh 0']);
  });
});
