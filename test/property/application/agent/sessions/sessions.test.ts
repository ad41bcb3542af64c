import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionCheckResult } from '../../../../../src/application/agent/sessions/session-check-result.js';
import type { Session } from '../../../../../src/domain/agent/sessions/session.js';
import {
  companyIssuer,
  rememberedSessions,
  sessionIdOf,
  sessionOf,
} from '../../../../support/agent/remembered-sessions.js';

const names = ['ann', 'bob', 'eve'] as const;
type Name = (typeof names)[number];
type Step =
  | { readonly act: 'check' | 'open' | 'end' | 'sign out' | 'end elsewhere'; readonly name: Name }
  | { readonly act: 'wait'; readonly ms: number }
  | { readonly act: 'store'; readonly isDown: boolean };

/** What a naive book-keeper knows of a session: the store's truth, and what the requests have seen of it. */
interface Known {
  session: Session;
  lastSeenMs: number;
  /** When a request last found it while the store could be asked. */
  confirmedMs: number;
  /** When it ended in the store without these sessions knowing; null: it has not. */
  endedElsewhereMs: number | null;
}

const nameArbitrary = fc.constantFrom(...names);
/** Moments around those at which something changes, and others. */
const waitArbitrary = fc.oneof(
  fc.constantFrom(1, 1_999, 2_000, 4_999, 5_000, 6_000, 7_000, 25_000, 28_000, 55_000, 61_000),
  fc.integer({ min: 1, max: 90_000 }),
);
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant('check' as const), name: nameArbitrary }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('open' as const), name: nameArbitrary }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constantFrom('end', 'sign out', 'end elsewhere'), name: nameArbitrary }),
  },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('wait' as const), ms: waitArbitrary }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('store' as const), isDown: fc.boolean() }) },
);

const ttlMs = 120_000;
const staleMs = 5_000;

describe('Sessions compared with a reference model', () => {
  it('never treats an expired session as active, nor an active session as expired', async () => {
    let active = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepArbitrary, { minLength: 10, maxLength: 60 }),
        fc.constantFrom(null, 8_000, 30_000),
        fc.integer({ min: 1, max: 3 }),
        async (steps, idleMs, maximumEntries) => {
          const memory = { maximumEntries, maximumSize: 1_000_000 };
          const { sessions, store, clock, scheduler } = rememberedSessions({ idleMs, memory });
          const known = new Map<Name, Known>();

          const judge = (name: Name, { kind }: SessionCheckResult) => {
            const nowMs = clock.wallMs();
            const entry = known.get(name);
            const isOver =
              entry !== undefined &&
              (nowMs >= entry.session.expiresMs || (idleMs !== null && nowMs >= entry.lastSeenMs + idleMs));
            const goneForMs = entry?.endedElsewhereMs == null ? null : nowMs - entry.endedElsewhereMs;
            if (kind === 'active') {
              active += 1;
              expect(entry, 'a session that has ended').toBeDefined();
              expect(isOver, 'a session that is over').toBe(false);
              const patienceMs = store.isDown ? 60_000 : staleMs;
              if (store.isDown && goneForMs === null && entry !== undefined) {
                expect(nowMs - entry.confirmedMs).toBeLessThan(60_000);
              }
              if (goneForMs !== null) expect(goneForMs).toBeLessThan(patienceMs);
              if (entry !== undefined && goneForMs === null && !store.isDown) entry.confirmedMs = nowMs;
              if (entry !== undefined) entry.lastSeenMs = Math.max(entry.lastSeenMs, nowMs);
            } else if (kind === 'unknown') {
              expect(entry === undefined || goneForMs !== null, 'a session that is there').toBe(true);
            } else if (kind === 'expired') {
              expect(isOver, 'a session that is not over').toBe(true);
            } else {
              expect(store.isDown).toBe(true);
            }
            if (!store.isDown && kind !== 'unknown') expect(entry).toBeDefined();
            if (entry === undefined || maximumEntries < names.length || goneForMs !== null) return;
            // Whoever was confirmed a moment ago is not turned away because the store is down.
            if (nowMs - entry.confirmedMs < staleMs) expect(kind).not.toBe('unavailable');
          };

          for (const step of steps) {
            if (step.act === 'wait') await scheduler.advance(step.ms);
            else if (step.act === 'store') store.isDown = step.isDown;
            else {
              const { name } = step;
              const id = sessionIdOf(name);
              const nowMs = clock.wallMs();
              if (step.act === 'check') judge(name, await sessions.check(id));
              else if (step.act === 'open' && known.get(name) === undefined) {
                const session = sessionOf(name, nowMs, { expiresMs: nowMs + ttlMs });
                const inserted = await sessions.open(session);
                expect(inserted.ok).toBe(!store.isDown);
                const entry = { session, lastSeenMs: nowMs, confirmedMs: nowMs, endedElsewhereMs: null };
                if (inserted.ok) known.set(name, entry);
              } else if (step.act === 'end') {
                const entry = known.get(name);
                const ended = await sessions.end(id);
                expect(ended.ok).toBe(!store.isDown);
                if (ended.ok) {
                  expect(ended.value === null).toBe(entry === undefined || entry.endedElsewhereMs !== null);
                  known.delete(name);
                } else if (entry !== undefined) entry.confirmedMs = Number.NEGATIVE_INFINITY;
              } else if (step.act === 'sign out') {
                const ended = await sessions.endOfSubject({
                  method: 'saml',
                  provider: companyIssuer,
                  subject: name,
                  sessionIndexes: [],
                });
                expect(ended.ok).toBe(!store.isDown);
                const entry = known.get(name);
                if (ended.ok && entry?.endedElsewhereMs === null) known.delete(name);
                else if (entry !== undefined) entry.confirmedMs = Number.NEGATIVE_INFINITY;
              } else if (step.act === 'end elsewhere') {
                const entry = known.get(name);
                if (entry !== undefined) entry.endedElsewhereMs ??= nowMs;
                if (entry !== undefined) store.sessions.delete(entry.session.idHash);
              }
            }
          }
          await sessions.stop();
          expect(scheduler.waiting).toBe(0);
        },
      ),
      { numRuns: 700 },
    );
    expect(active).toBeGreaterThan(100);
  });
});
