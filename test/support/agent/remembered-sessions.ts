import { createHash } from 'node:crypto';
import {
  type PreparedIdentity,
  preparedIdentity,
} from '../../../src/application/agent/authenticate/prepared-identity.js';
import { SessionCache } from '../../../src/application/agent/sessions/session-cache.js';
import type { SessionMemoryLimits } from '../../../src/application/agent/sessions/session-memory.js';
import { Sessions, type SessionsOptions } from '../../../src/application/agent/sessions/sessions.js';
import type { Session } from '../../../src/domain/agent/sessions/session.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { FakeSessionStore } from './fake-session-store.js';

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A session id of the right form; every name has its own. */
export const sessionIdOf = (name: string): string => createHash('sha256').update(name).digest('base64url');

export const companyIssuer = 'https://id.example/metadata';

const hour = 3_600_000;

/** A session of the id of that name, begun at `createdMs`, for eight hours. */
export const sessionOf = (name: string, createdMs: number, changes: Partial<Session> = {}): Session => ({
  idHash: sha256Hex(sessionIdOf(name)),
  userId: name,
  method: 'saml',
  provider: companyIssuer,
  logout: { subject: name, session: `index-of-${name}` },
  details: {},
  attributes: [{ name: 'mail', values: [`${name}@corp.example`] }],
  createdMs,
  expiresMs: createdMs + 8 * hour,
  lastSeenMs: createdMs,
  ...changes,
});

export const preparedIdentityOf = ({ userId }: Session): PreparedIdentity =>
  preparedIdentity({ method: 'saml', userId, claims: null, certificate: null }, [
    { kind: 'set', name: 'X-User-Id', value: userId },
  ]);

/** Parts that a test may swap. */
export interface SwappedSessionsParts
  extends Partial<Omit<SessionsOptions, 'store' | 'known' | 'clock' | 'scheduler'>> {
  readonly memory?: SessionMemoryLimits;
}

/**
 * Sessions with a store and a clock that the test moves; `another` has the same store, as another process would, and
 * `successor` what is known of it too, as another configuration of the same process would.
 */
export const rememberedSessions = ({ memory, ...swapped }: SwappedSessionsParts = {}) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const store = new FakeSessionStore();
  const parts: SessionsOptions = {
    store,
    known: new SessionCache(store, clock, memory),
    clock,
    scheduler,
    digest: { sha256Hex },
    prepare: preparedIdentityOf,
    idleMs: null,
    accepts: ({ provider }) => provider === companyIssuer,
    ...swapped,
  };
  return {
    clock,
    scheduler,
    store,
    sessions: new Sessions(parts),
    another: () => new Sessions({ ...parts, known: new SessionCache(store, clock, memory) }),
    successor: (changes: Partial<SessionsOptions> = {}) => new Sessions({ ...parts, ...changes }),
  };
};
