import { MemoryStoreOpener } from '../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { AdministerSessions } from '../../../src/application/agent/sessions/administer-sessions.js';
import { SessionCache } from '../../../src/application/agent/sessions/session-cache.js';
import type { Session } from '../../../src/domain/agent/sessions/session.js';
import { ManualClock } from '../shared/manual-clock.js';
import { hourMs, noonMs, succeeded } from './test-sessions.js';

/** The administration of a store in memory with these sessions, an hour after noon. */
export const heldAdministration = async (
  sessions: readonly Session[],
  idleMs: number | null = null,
): Promise<AdministerSessions> => {
  const stores = await succeeded(new MemoryStoreOpener().open({ kind: 'memory' }));
  for (const session of sessions) await succeeded(stores.sessions.insert(session));
  const clock = new ManualClock(noonMs + hourMs);
  return new AdministerSessions({ stores, known: new SessionCache(stores.sessions, clock) }, clock, idleMs);
};
