import { type OptionReport, toConfigurationProblem } from '../../../../domain/agent/configuration/option-report.js';
import { enabledSaml } from '../../../../domain/agent/configuration/saml-option-rules.js';
import type { SamlOptions } from '../../../../domain/agent/configuration/saml-options.js';
import { type ConfigurationProblem, unplacedProblem } from '../../../../domain/configuration/configuration-problem.js';
import type { AgentBlockReader } from '../../../ports/agent/agent-block-reader.js';

export interface AgentSaml {
  /** Null on an error. */
  readonly options: SamlOptions | null;
  /** Only errors: the start and the check of the agent report warnings. */
  readonly errors: readonly ConfigurationProblem[];
}

const ignored: OptionReport = () => undefined;

/**
 * Finds the `saml` block of an agent in a gateway's configuration. A null `agentName` selects the only agent. Also
 * reads a disabled block: a provider needs the metadata before you enable it.
 */
export const agentSaml = async (readBlock: AgentBlockReader, agentName: string | null): Promise<AgentSaml> => {
  const { options, problems } = await readBlock(agentName);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (options === null) return { options: null, errors };
  const { saml } = options;
  if (saml === undefined) {
    return { options: null, errors: [...errors, unplacedProblem('error', 'the agent has no saml block')] };
  }
  const report: OptionReport = (option, message, suggestion) =>
    errors.push(toConfigurationProblem({ severity: 'error', option, message, suggestion: suggestion ?? null }));
  const complete = enabledSaml({ ...saml, enabled: true }, report, ignored);
  return { options: errors.length === 0 ? complete : null, errors };
};
