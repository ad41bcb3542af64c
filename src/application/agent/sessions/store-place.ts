import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import { type ConfigurationProblem, unplacedProblem } from '../../../domain/configuration/configuration-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SessionStoreOpener, SessionStores } from '../../ports/agent/session-stores.js';

/** Where sessions are looked for: in the store of an agent block, or in a file of `sqlite`. */
export type StorePlace =
  /** Without a name: the only agent of the file. */
  | { readonly kind: 'agent'; readonly configFile: string; readonly agentName: string | null }
  | { readonly kind: 'file'; readonly path: string; readonly entityId: string };

/** The store that a sign-on of an agent keeps its sessions in. */
export interface ConfiguredStore {
  readonly options: SessionStoreOptions;
  readonly namespace: string;
  /** Milliseconds after which an unused session ends; null: it does not. */
  readonly idleMs: number | null;
}

/** Finds the store that the agent block of a file configures; a null name means the only agent. */
export type ConfiguredStoreFinder = (
  configFile: string,
  agentName: string | null,
) => Promise<Result<ConfiguredStore, readonly ConfigurationProblem[]>>;

export interface StoreParts {
  readonly configuredStore: ConfiguredStoreFinder;
  /** Makes no store that is missing. */
  readonly stores: SessionStoreOpener;
}

/** A store, and what counts in it. */
export interface FoundStore {
  readonly stores: SessionStores;
  /** How long a session lasts that is not used, in milliseconds; null: as long as any, or that is not known. */
  readonly idleMs: number | null;
}

type Found<Value> = Result<Value, readonly ConfigurationProblem[]>;

const failed = (message: string): Found<never> => err([unplacedProblem('error', message)]);

const namedStore = async (place: StorePlace, { configuredStore }: StoreParts): Promise<Found<ConfiguredStore>> => {
  if (place.kind === 'file') {
    const options: SessionStoreOptions = { kind: 'sqlite', path: place.path };
    return ok({ options, namespace: place.entityId, idleMs: null });
  }
  return configuredStore(place.configFile, place.agentName);
};

/** Opens the store of a place; who gets it closes it. */
export const openStore = async (place: StorePlace, parts: StoreParts): Promise<Found<FoundStore>> => {
  const named = await namedStore(place, parts);
  if (!named.ok) return named;
  const { options, namespace, idleMs } = named.value;
  if (options.kind === 'memory') {
    return failed(
      'session-store is memory: its sessions are in the process of the agent alone, and end with it; sqlite and redis can be looked into',
    );
  }
  const opened = await parts.stores.open(options, namespace);
  return opened.ok ? ok({ stores: opened.value, idleMs }) : failed(opened.error);
};
