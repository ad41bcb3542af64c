import { type OptionReport, toConfigurationProblem } from '../../../../domain/agent/configuration/option-report.js';
import { enabledSaml } from '../../../../domain/agent/configuration/saml-option-rules.js';
import type { SamlOptions } from '../../../../domain/agent/configuration/saml-options.js';
import { enabledSessions } from '../../../../domain/agent/configuration/sessions-option-rules.js';
import type { SignOnSessionOptions } from '../../../../domain/agent/configuration/sessions-options.js';
import { type ConfigurationProblem, unplacedProblem } from '../../../../domain/configuration/configuration-problem.js';
import { err, ok } from '../../../../domain/shared/result.js';
import type { AgentBlockReader } from '../../../ports/agent/agent-block-reader.js';
import type { ConfiguredStoreFinder } from '../../sessions/store-location.js';

export interface AgentSaml {
  /** Null on an error. */
  readonly options: SamlOptions | null;
  readonly sessions: SignOnSessionOptions | null;
  /** Only errors: the start and the check of the agent report warnings. */
  readonly errors: readonly ConfigurationProblem[];
}

const ignored: OptionReport = () => undefined;

/**
 * Finds the `saml` block of an agent in a gateway's configuration. A null `agentName` selects the only agent. Also
 * reads a disabled block: a provider needs the metadata before you enable it, and sessions may remain after you disable
 * it.
 */
export const agentSaml = async (readBlock: AgentBlockReader, agentName: string | null): Promise<AgentSaml> => {
  const { options, problems } = await readBlock(agentName);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (options === null) return { options: null, sessions: null, errors };
  const { saml } = options;
  if (saml === undefined) {
    return {
      options: null,
      sessions: null,
      errors: [...errors, unplacedProblem('error', 'the agent has no saml block')],
    };
  }
  const report: OptionReport = (option, message, suggestion) =>
    errors.push(toConfigurationProblem({ severity: 'error', option, message, suggestion: suggestion ?? null }));
  const asEnabled = { ...saml, enabled: true };
  const complete = enabledSaml(asEnabled, report, ignored);
  const sessions = enabledSessions({ ...options, saml: asEnabled }, report, ignored);
  return errors.length === 0 ? { options: complete, sessions, errors } : { options: null, sessions: null, errors };
};

/** Finds the session store of an agent's `saml` block. */
export const samlSessionStore =
  (agentBlocks: (file: string) => AgentBlockReader): ConfiguredStoreFinder =>
  async (configFile, agentName) => {
    const { sessions, errors } = await agentSaml(agentBlocks(configFile), agentName);
    if (sessions === null) return err(errors);
    return ok({ options: sessions.store, namespace: sessions.namespace, idleMs: sessions.idleMs });
  };
