import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Stored, StoreFailure } from '../../ports/agent/session-store.js';
import type { SessionStores } from '../../ports/agent/session-stores.js';
import type { Clock } from '../../ports/shared/clock.js';
import { KnownSessions } from '../sessions/known-sessions.js';
import type { SessionStoreLease, SessionStoreLeases } from '../sessions/session-store-leases.js';
import type { AgentParts } from './agent-parts.js';
import { prepareAgent } from './prepare-agent.js';
import type { PreparedAgent } from './prepared-agent.js';
import type { SamlParts } from './saml-parts.js';

const failure: Result<never, StoreFailure> = err({ reason: 'the store is not opened for a trial' });
const fail = (): Stored<never> => Promise.resolve(failure);

const stores: SessionStores = {
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

const lease: SessionStoreLease = {
  stores,
  state: { failure: null, fails: () => false, onChange: () => () => undefined },
  known: new KnownSessions(stores.sessions, clock),
  release: () => Promise.resolve(),
};

/**
 * Stands for the stores where a configuration is only tried: a check must neither create a database nor lock one. It
 * finds out whether the program could open a store of that kind at all.
 */
export const unopenedStores = (kindFault: SamlParts['storeKindFault']): Pick<SessionStoreLeases, 'acquire'> => ({
  acquire: async ({ kind }) => {
    const fault = await kindFault(kind);
    return fault === null ? ok(lease) : err(fault);
  },
});

/** Nobody signs on at an agent that is only tried, nor gets a token of it. */
const uncounted: AgentParts['outcomes'] = {
  completed: () => undefined,
  refused: () => undefined,
  exchanged: () => undefined,
};

/**
 * More than a fetch of a key set or of metadata may take, in milliseconds: whatever is wrong with one is to be
 * reported.
 */
const keySetWaitMs = 12_000;

export interface TriedAgent {
  /** Errors and warnings. */
  readonly problems: readonly AgentOptionProblem[];
  /** Null where there was an error. */
  readonly agent: Pick<PreparedAgent, 'methods' | 'failOpen' | 'authorization' | 'tokenExchange'> | null;
}

/**
 * Makes everything ready that an agent with these options would need, each key set and metadata fetched once, and
 * lets go of it again. Session stores are not opened, and no verifier is warmed up.
 */
export const tryAgent = async (options: AgentOptions, parts: Omit<AgentParts, 'outcomes'>): Promise<TriedAgent> => {
  const saml = { ...parts.saml, stores: unopenedStores(parts.saml.storeKindFault), warmUp: async () => true };
  const trial: AgentParts = { ...parts, saml, outcomes: uncounted };
  const prepared = await prepareAgent(options, trial, keySetWaitMs);
  if (!prepared.ok) return { problems: prepared.error, agent: null };
  const { agent, warnings } = prepared.value;
  await agent.release();
  return { problems: warnings, agent };
};
