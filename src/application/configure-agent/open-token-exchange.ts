import type { AgentOptionProblem } from '../../domain/configuration/agent-configuration.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { ReplayStore } from '../ports/replay-store.js';
import type { AgentParts } from './agent-parts.js';
import { optionProblem } from './option-problem.js';
import type { PreparedSaml } from './prepared-saml.js';
import type { ReadTokenExchange } from './read-token-exchange.js';

/** Token exchange with the place where the ids of client assertions are remembered. It has to be released. */
export interface OpenedTokenExchange extends ReadTokenExchange {
  readonly replays: Pick<ReplayStore, 'remember'>;
  /** Never rejects. */
  release(): Promise<void>;
}

/**
 * Ids are remembered in the store of single sign-on, which several agents may share, or else in the memory of this process. That
 * outlasts a reload too: the configuration that follows uses it before this one lets go of it.
 */
export const openTokenExchange = async (
  read: ReadTokenExchange | null,
  saml: Pick<PreparedSaml, 'replays'> | null,
  { saml: { stores } }: Pick<AgentParts, 'saml'>,
): Promise<Result<OpenedTokenExchange | null, AgentOptionProblem>> => {
  if (read === null) return ok(null);
  if (saml !== null) return ok({ ...read, replays: saml.replays, release: () => Promise.resolve() });
  const lease = await stores.acquire({ kind: 'memory' }, `token-exchange ${read.options.issuer}`);
  if (!lease.ok) return err(optionProblem('error', 'token-exchange', `the ids of client assertions: ${lease.error}`));
  const { stores: opened, release } = lease.value;
  return ok({ ...read, replays: opened.replays, release });
};
