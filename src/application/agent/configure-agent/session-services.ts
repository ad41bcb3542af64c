import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import type { SessionStoreLeases } from '../sessions/session-store-leases.js';

/** The services of a process that sessions use. */
export interface SessionServices {
  /** The open session stores of the process. */
  readonly stores: Pick<SessionStoreLeases, 'acquire'>;
  /** Why stores of a kind cannot be opened on this machine, without opening one; null: they can. */
  readonly storeKindFault: (kind: SessionStoreOptions['kind']) => Promise<string | null>;
}
