import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { MemoryStoreOpener } from '../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import type { SessionStore } from '../../../../src/application/ports/agent/session-store.js';
import { signOnMethods } from '../../../../src/domain/agent/sessions/session.js';
import { openSqlite } from '../../../support/agent/sqlite-stores.js';
import { hashOf, noonMs, succeeded, testSession } from '../../../support/agent/test-sessions.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

type Step = (store: SessionStore, moment: number) => Promise<unknown>;

const name = fc.integer({ min: 0, max: 7 }).map((index) => `n${index}`);
const person = fc.constantFrom('alice', 'bob');
const index = fc.constantFrom(null, 'i1', 'i2');
const holder = fc.constantFrom('h1', 'h2');
const soon = fc.integer({ min: -3, max: 12 });

const steps: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 4, arbitrary: fc.record({ name, person, index, soon }) },
    { weight: 5, arbitrary: fc.constant(null) },
  )
  .chain((insert) => {
    if (insert !== null)
      return fc.constant<Step>((store, moment) =>
        store
          .insert(
            testSession(insert.name, {
              userId: insert.person,
              method: insert.soon % 2 === 0 ? 'saml' : 'oidc',
              logout: { subject: insert.person, session: insert.index },
              createdMs: noonMs + moment,
              expiresMs: noonMs + moment + insert.soon,
              lastSeenMs: noonMs + moment,
            }),
          )
          .then(({ ok }) => ok),
      );
    const limit = fc.integer({ min: 1, max: 4 });
    return fc.oneof(
      name.map(
        (of): Step =>
          (store) =>
            succeeded(store.find(hashOf(of))),
      ),
      name.map(
        (of): Step =>
          (store) =>
            succeeded(store.remove(hashOf(of))),
      ),
      fc.tuple(name, soon).map(
        ([of, by]): Step =>
          (store, moment) =>
            succeeded(store.touch([{ idHash: hashOf(of), lastSeenMs: noonMs + moment + by }])),
      ),
      fc.tuple(fc.constantFrom(...signOnMethods), person, fc.subarray(['i1', 'i2', 'i3'])).map(
        ([method, subject, sessionIndexes]): Step =>
          async (store) =>
            [
              ...(await succeeded(
                store.removeOfSubject({ method, provider: 'https://idp.example', subject, sessionIndexes }),
              )),
            ].toSorted(),
      ),
      person.map(
        (of): Step =>
          async (store) =>
            [...(await succeeded(store.removeOfUser(of)))].toSorted(),
      ),
      fc.tuple(fc.option(person), limit).map(
        ([userId, few]): Step =>
          async (store) => {
            const page = await succeeded(store.list({ userId, limit: few, after: null }));
            return [page.sessions, page.next === null];
          },
      ),
      // All that can be removed: which go first is not said.
      fc.tuple(soon, fc.option(soon)).map(
        ([by, idle]): Step =>
          (store, moment) =>
            succeeded(
              store.removeExpired(noonMs + moment + by, idle === null ? null : noonMs + moment - 10 + idle, 1_000),
            ),
      ),
      fc.tuple(name, holder, soon).map(
        ([of, by, lasting]): Step =>
          (store, moment) =>
            succeeded(
              store.takeRefreshLease({
                idHash: hashOf(of),
                holder: by,
                untilMs: noonMs + moment + lasting,
                nowMs: noonMs + moment,
              }),
            ),
      ),
      fc.tuple(name, holder, fc.option(fc.dictionary(index.map(String), fc.string())), fc.option(soon)).map(
        ([of, by, details, held]): Step =>
          (store, moment) =>
            succeeded(
              store.endRefresh({
                idHash: hashOf(of),
                holder: by,
                details,
                backoffUntilMs: held === null ? 0 : noonMs + moment + held,
              }),
            ),
      ),
      fc.constant<Step>((store) => succeeded(store.count())),
      fc.constant<Step>((store) => succeeded(store.countByMethod())),
    );
  });

describe('session stores', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it('of SQLite and of memory answer alike, whatever is done to them', async () => {
    const path = folder.file('sessions.db');
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async (sequence) => {
        runs += 1;
        const memory = await succeeded(new MemoryStoreOpener().open({ kind: 'memory' }));
        const sqlite = await succeeded(openSqlite(path, `run ${runs}`));
        try {
          for (const [moment, step] of sequence.entries())
            expect(await step(sqlite.sessions, moment)).toEqual(await step(memory.sessions, moment));
          const counts = await succeeded(memory.sessions.countByMethod());
          expect(await succeeded(sqlite.sessions.countByMethod())).toEqual(counts);
          expect(await succeeded(sqlite.sessions.count())).toBe(counts.saml + counts.oidc);
          expect(await succeeded(memory.sessions.count())).toBe(counts.saml + counts.oidc);
        } finally {
          await sqlite.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});
