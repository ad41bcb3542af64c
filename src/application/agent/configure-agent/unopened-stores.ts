import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SamlStores } from '../../ports/agent/saml-stores.js';
import type { Stored, StoreFailure } from '../../ports/agent/session-store.js';
import type { Clock } from '../../ports/shared/clock.js';
import { KnownSessions } from '../sessions/known-sessions.js';
import type { SamlStoreLease, SamlStoreLeases } from '../sign-on/saml/trust/saml-store-leases.js';
import type { SamlParts } from './saml-parts.js';

const failure: Result<never, StoreFailure> = err({ reason: 'the store is not opened for a trial' });
const fail = (): Stored<never> => Promise.resolve(failure);

const stores: SamlStores = {
  sessions: {
    insert: fail,
    find: fail,
    touch: fail,
    remove: fail,
    removeOfSubject: fail,
    removeOfUser: fail,
    list: fail,
    findByPrefix: fail,
    removeExpired: fail,
    count: fail,
  },
  replays: { remember: fail, removeExpired: fail },
  requests: { insert: fail, find: fail, take: fail, removeExpired: fail },
  isLost: () => false,
  close: () => Promise.resolve(),
};

/** Nothing gets known of sessions there: no time passes for it. */
const clock: Clock = { wallMs: () => 0, monotonicMs: () => 0, turnMs: () => 0 };

const lease: SamlStoreLease = {
  stores,
  state: { failure: null, fails: () => false, onChange: () => () => undefined },
  known: new KnownSessions(stores.sessions, clock),
  release: () => Promise.resolve(),
};

/**
 * Stands for the stores where a configuration is only tried: a check must neither create a database nor lock one. It finds out
 * whether the program could open a store of that kind at all.
 */
export const unopenedStores = (kindFault: SamlParts['storeKindFault']): Pick<SamlStoreLeases, 'acquire'> => ({
  acquire: async ({ kind }) => {
    const fault = await kindFault(kind);
    return fault === null ? ok(lease) : err(fault);
  },
});
