import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import { type ConfigurationProblem, unplacedProblem } from '../../../domain/configuration/configuration-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { AgentBlockReader } from '../../ports/agent/agent-block-reader.js';
import type { SamlStoreOpener, SamlStores } from '../../ports/agent/saml-stores.js';
import { agentSaml } from '../sign-on/saml/agent-saml.js';

/** Where sessions are looked for: in the store of an agent block, or in a file of `sqlite`. */
export type StorePlace =
  /** Without a name: the only agent of the file. */
  | { readonly kind: 'agent'; readonly configFile: string; readonly agentName: string | null }
  | { readonly kind: 'file'; readonly path: string; readonly entityId: string };

export interface StoreParts {
  readonly agentBlocks: (file: string) => AgentBlockReader;
  /** Makes no store that is missing. */
  readonly stores: SamlStoreOpener;
}

/** A store, and what counts in it. */
export interface FoundStore {
  readonly stores: SamlStores;
  /** How long a session lasts that is not used, in milliseconds; null: as long as any, or that is not known. */
  readonly idleMs: number | null;
}

interface NamedStore {
  readonly options: SessionStoreOptions;
  readonly namespace: string;
  readonly idleMs: number | null;
}

type Found<Value> = Result<Value, readonly ConfigurationProblem[]>;

const failed = (message: string): Found<never> => err([unplacedProblem('error', message)]);

const namedStore = async (place: StorePlace, { agentBlocks }: StoreParts): Promise<Found<NamedStore>> => {
  if (place.kind === 'file') {
    const options: SessionStoreOptions = { kind: 'sqlite', path: place.path };
    return ok({ options, namespace: place.entityId, idleMs: null });
  }
  const { options, errors } = await agentSaml(agentBlocks(place.configFile), place.agentName);
  if (options === null) return err(errors);
  return ok({ options: options.store, namespace: options.entityId, idleMs: options.sessionIdleMs });
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
