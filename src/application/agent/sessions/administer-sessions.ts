import type { Session } from '../../../domain/agent/sessions/session.js';
import { sessionState } from '../../../domain/agent/sessions/session-state.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { StoreFailure } from '../../ports/agent/session-store.js';
import type { Clock } from '../../ports/shared/clock.js';
import type {
  AdministeredPage,
  AdministeredSession,
  SessionAdministration,
} from '../../ports/shared/session-administration.js';
import type { SessionStoreLease } from './session-store-leases.js';

const failure = ({ reason }: StoreFailure) => err(`the session store cannot be used: ${reason}`);

const administered = (session: Session): AdministeredSession => {
  const { idHash: id, userId, method, provider, createdMs, expiresMs, lastSeenMs } = session;
  return { id, userId, method, provider, createdMs, expiresMs, lastSeenMs };
};

/** The stored sessions, for operators. */
export class AdministerSessions implements SessionAdministration {
  readonly #lease: Pick<SessionStoreLease, 'stores' | 'known'>;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #idleMs: number | null;

  constructor(
    lease: Pick<SessionStoreLease, 'stores' | 'known'>,
    clock: Pick<Clock, 'wallMs'>,
    /** Idle time after which a session ends, in milliseconds; null: no idle limit. */
    idleMs: number | null,
  ) {
    this.#lease = lease;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  get store(): object {
    return this.#lease.stores;
  }

  async list(query: Parameters<SessionAdministration['list']>[0]): Promise<Result<AdministeredPage, string>> {
    const page = await this.#lease.stores.sessions.list(query);
    if (!page.ok) return failure(page.error);
    return ok({ sessions: this.#active(page.value.sessions), next: page.value.next });
  }

  async find(prefix: string): Promise<Result<readonly AdministeredSession[], string>> {
    const found = await this.#lease.stores.sessions.findByPrefix(prefix, 2);
    return found.ok ? ok(found.value.map(administered)) : failure(found.error);
  }

  async revoke(id: string): Promise<Result<boolean, string>> {
    const { stores, known } = this.#lease;
    known.ended(id);
    const removed = await stores.sessions.remove(id);
    // Evict again: a request may have cached it meanwhile. After a failed removal the store must be asked again.
    known.ended(id);
    return removed.ok ? removed : failure(removed.error);
  }

  #active(sessions: readonly Session[]): readonly AdministeredSession[] {
    const rules = { nowMs: this.#clock.wallMs(), idleMs: this.#idleMs, accepts: () => true };
    return sessions.filter((session) => sessionState(session, rules) === 'active').map(administered);
  }
}
