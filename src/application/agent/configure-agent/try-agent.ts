import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Stored, StoreFailure } from '../../ports/agent/session-store.js';
import type { SessionStores } from '../../ports/agent/session-stores.js';
import type { Clock } from '../../ports/shared/clock.js';
import { SessionCache } from '../sessions/session-cache.js';
import type { SessionStoreLease, SessionStoreLeases } from '../sessions/session-store-leases.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { prepareAgent } from './prepare-agent.js';
import type { PreparedAgent } from './prepared-agent.js';
import type { SessionServices } from './session-services.js';

const failure: Result<never, StoreFailure> = err({ reason: 'a check does not open the store' });
const fail = (): Stored<never> => Promise.resolve(failure);

const stores: SessionStores = {
  sessions: {
    insert: fail,
    find: fail,
    touch: fail,
    takeRefreshLease: fail,
    endRefresh: fail,
    remove: fail,
    removeOfSubject: fail,
    removeOfUser: fail,
    list: fail,
    findByPrefix: fail,
    removeExpired: fail,
    count: fail,
    countByMethod: fail,
  },
  replays: { has: fail, remember: fail, removeExpired: fail },
  requests: { insert: fail, find: fail, take: fail, removeExpired: fail },
  forms: { insert: fail, find: fail, take: fail, removeExpired: fail },
  isLost: () => false,
  close: () => Promise.resolve(),
};

/** A clock that stands still: a check has no sessions. */
const clock: Clock = { wallMs: () => 0, monotonicMs: () => 0, turnMs: () => 0 };

const lease: SessionStoreLease = {
  stores,
  state: { failure: null, fails: () => false, onChange: () => () => undefined },
  known: new SessionCache(stores.sessions, clock),
  release: () => Promise.resolve(),
};

/**
 * Replaces session stores when a configuration is only checked: a check must neither create nor lock a database.
 * Reports whether this process could open a store of that kind.
 */
export const unopenedStores = (kindFault: SessionServices['storeKindFault']): Pick<SessionStoreLeases, 'acquire'> => ({
  acquire: async ({ kind }) => {
    const fault = await kindFault(kind);
    return fault === null ? ok(lease) : err(fault);
  },
});

/** A check has neither sign-ons nor token exchanges. */
const uncounted: AgentProcessServices['outcomes'] = {
  completed: () => undefined,
  refused: () => undefined,
  signedOn: () => undefined,
  refusedSignOn: () => undefined,
  refreshedTokens: () => undefined,
  exchanged: () => undefined,
  introspected: () => undefined,
};

/** Longer than a fetch of a key set or of metadata may take, so that all failures are reported; milliseconds. */
const keySetWaitMs = 12_000;

export interface TriedAgent {
  /** Errors and warnings. */
  readonly problems: readonly AgentOptionProblem[];
  /** Null on an error. */
  readonly agent: Pick<PreparedAgent, 'methods' | 'failOpen' | 'authorization' | 'tokenExchange'> | null;
}

/**
 * Prepares an agent with these options and releases it again. Fetches each key set and metadata once. Opens no session
 * store and does not warm up the verifier.
 */
export const tryAgent = async (
  options: AgentOptions,
  parts: Omit<AgentProcessServices, 'outcomes'>,
): Promise<TriedAgent> => {
  const { storeKindFault } = parts.sessions;
  const sessions = { stores: unopenedStores(storeKindFault), storeKindFault };
  const saml = { ...parts.saml, warmUp: async () => true };
  const trial: AgentProcessServices = { ...parts, sessions, saml, outcomes: uncounted };
  const prepared = await prepareAgent(options, trial, keySetWaitMs);
  if (!prepared.ok) return { problems: prepared.error, agent: null };
  const { agent, warnings } = prepared.value;
  await agent.release();
  return { problems: warnings, agent };
};
