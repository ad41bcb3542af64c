import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import { type ConfigurationProblem, unplacedProblem } from '../../../domain/configuration/configuration-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SessionStoreOpener, SessionStores } from '../../ports/agent/session-stores.js';
import type { AuditDestination } from '../../ports/shared/audit-log.js';

/** Where to find sessions: in the store of an agent block, or in a SQLite file. */
export type StoreLocation =
  /** A null name means the only agent of the file. */
  | { readonly kind: 'agent'; readonly configFile: string; readonly agentName: string | null }
  | { readonly kind: 'file'; readonly path: string; readonly entityId: string };

/** The session store that an agent configures. */
export interface ConfiguredStore {
  readonly options: SessionStoreOptions;
  readonly namespace: string;
  /** Idle time after which a session ends, in milliseconds; null: no idle limit. */
  readonly idleMs: number | null;
  /** The audit log of the gateway; null: none. */
  readonly audit: AuditDestination | null;
}

/** Finds the store that the agent block of a file configures; a null name means the only agent. */
export type ConfiguredStoreFinder = (
  configFile: string,
  agentName: string | null,
) => Promise<Result<ConfiguredStore, readonly ConfigurationProblem[]>>;

export interface StoreOpeners {
  readonly configuredStore: ConfiguredStoreFinder;
  /** Opens existing stores only. */
  readonly stores: SessionStoreOpener;
}

/** An opened store with its idle limit. */
export interface FoundStore {
  readonly stores: SessionStores;
  /** Idle time after which a session ends, in milliseconds; null: no idle limit, or unknown. */
  readonly idleMs: number | null;
  /** The audit log of the gateway; null: none, or unknown. */
  readonly audit: AuditDestination | null;
}

type Found<Value> = Result<Value, readonly ConfigurationProblem[]>;

const failed = (message: string): Found<never> => err([unplacedProblem('error', message)]);

const namedStore = async (place: StoreLocation, { configuredStore }: StoreOpeners): Promise<Found<ConfiguredStore>> => {
  if (place.kind === 'file') {
    const options: SessionStoreOptions = { kind: 'sqlite', path: place.path };
    return ok({ options, namespace: place.entityId, idleMs: null, audit: null });
  }
  return configuredStore(place.configFile, place.agentName);
};

/** Opens the store of a place. The caller closes it. */
export const openStore = async (place: StoreLocation, parts: StoreOpeners): Promise<Found<FoundStore>> => {
  const named = await namedStore(place, parts);
  if (!named.ok) return named;
  const { options, namespace, idleMs, audit } = named.value;
  if (options.kind === 'memory') {
    return failed(
      'the session store is memory, which only the agent process can read; set store in sessions, or session-store in saml, to sqlite or redis',
    );
  }
  const opened = await parts.stores.open(options, namespace);
  return opened.ok ? ok({ stores: opened.value, idleMs, audit }) : failed(opened.error);
};
