import { describe, expect } from 'vitest';
import { SqliteStoreOpener } from '../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import { seededAgentConfig, seeder } from '../../support/agent/seeded-sessions.js';
import {
  atWorkersMs,
  delaysAfter,
  everywhereMs,
  lastAccepted,
  listedSessions,
  mostOf,
  type ReachedWorker,
  reachedWorkers,
  revokeByCommand,
  revokeSession,
  seededAgentMembers,
  visitAt,
} from '../../support/agent/session-ends.js';
import { it } from '../../support/shared/fixtures.js';
import { asAdmin, startWorkerStack } from '../../support/shared/worker-stack.js';

describe('two gateways of two workers with embedded agents and one SQLite file', () => {
  it('refuse a session within a second at the gateway that ended it, within five at the other', async ({
    cleanUp,
    folder,
  }) => {
    const path = folder.file('store/sessions.db');
    const agentConfig = seededAgentConfig(folder, `store "sqlite"; path "${path}"`);
    const [first, second] = await Promise.all(
      [1, 2].map(() =>
        startWorkerStack(cleanUp, { transport: 'embedded', agentConfig, agentMembers: seededAgentMembers }),
      ),
    );
    if (first === undefined || second === undefined) throw new Error('no gateways');
    const seed = await seeder(cleanUp, new SqliteStoreOpener(), { kind: 'sqlite', path });
    const [ann, bob] = [await seed({ user: 'ann', method: 'oidc' }), await seed({ user: 'bob' })];
    const [own, others] = [await reachedWorkers(cleanUp, first), await reachedWorkers(cleanUp, second)];

    const { sessions } = await listedSessions(first);
    expect(sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: ann.id, user: 'ann', method: 'oidc', provider: 'https://id.example corp' }),
        expect.objectContaining({ id: bob.id, user: 'bob', method: 'saml', provider: 'https://idp.example' }),
      ]),
    );
    expect(await listedSessions(second, '?user=bob')).toMatchObject({ sessions: [{ id: bob.id }] });

    const [ofRequest, ofCommand] = await Promise.all([
      delaysAfter([...own, ...others], ann, () => revokeSession(first, ann)),
      delaysAfter([...own, ...others], bob, () => revokeByCommand(first, 'bob')),
    ]);
    expect(mostOf(ofRequest.slice(0, 2))).toBeLessThan(atWorkersMs);
    expect(mostOf(ofRequest)).toBeLessThan(everywhereMs);
    expect(mostOf(ofCommand)).toBeLessThan(everywhereMs);
    expect(await listedSessions(first)).toEqual({ sessions: [] });
    expect(await asAdmin(second, `/admin/sessions/${ann.id}`, 'DELETE')).toMatchObject({ status: 404 });
  });
});

describe('sessions that nobody ends', () => {
  it('end at both workers after their lifetime and their idle time', async ({ cleanUp, folder }) => {
    const path = folder.file('store/sessions.db');
    const agentConfig = seededAgentConfig(folder, `store "sqlite"; path "${path}"; idle-secs 3`);
    const stack = await startWorkerStack(cleanUp, {
      transport: 'embedded',
      agentConfig,
      agentMembers: seededAgentMembers,
    });
    const seed = await seeder(cleanUp, new SqliteStoreOpener(), { kind: 'sqlite', path });
    const workers = await reachedWorkers(cleanUp, stack);
    const [one, other] = workers as readonly [ReachedWorker, ReachedWorker];
    const ttlMs = 3_000;
    const [short, used, idle] = [
      await seed({ user: 'short', ttlMs }),
      await seed({ user: 'used' }),
      await seed({ user: 'idle' }),
    ];
    const seededMs = performance.now();
    expect(await visitAt(one, idle)).toBe(200);
    // Uses at one worker keep the session alive at the other, beyond its idle time.
    const use = async (): Promise<void> => {
      for (const endMs = seededMs + 5_000; performance.now() < endMs; ) {
        expect(await visitAt(one, used)).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const [, ...lifetimes] = await Promise.all([use(), ...workers.map((worker) => lastAccepted(worker, short))]);
    expect(await visitAt(other, used)).toBe(200);
    expect(await Promise.all(workers.map((worker) => visitAt(worker, idle)))).toEqual([401, 401]);
    expect(mostOf(lifetimes) - seededMs).toBeLessThan(ttlMs);
    expect(await listedSessions(stack)).toEqual({ sessions: [expect.objectContaining({ id: used.id })] });
  });
});
