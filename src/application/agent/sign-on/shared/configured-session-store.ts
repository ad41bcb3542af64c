import { enabledLogins } from '../../../../domain/agent/configuration/oidc-login-rules.js';
import { type OptionReport, toConfigurationProblem } from '../../../../domain/agent/configuration/option-report.js';
import { enabledSaml } from '../../../../domain/agent/configuration/saml-option-rules.js';
import { enabledSessions } from '../../../../domain/agent/configuration/sessions-option-rules.js';
import { unplacedProblem } from '../../../../domain/configuration/configuration-problem.js';
import { err, ok } from '../../../../domain/shared/result.js';
import type { AgentBlockReader } from '../../../ports/agent/agent-block-reader.js';
import type { ConfiguredStoreFinder } from '../../sessions/store-location.js';

const ignored: OptionReport = () => undefined;

/**
 * Finds the session store of an agent in a gateway's configuration. Disabled ways to sign on count too, because
 * sessions may remain after you disable one.
 */
export const configuredSessionStore =
  (agentBlocks: (file: string) => AgentBlockReader): ConfiguredStoreFinder =>
  async (configFile, agentName) => {
    const { options, problems, audit } = await agentBlocks(configFile)(agentName);
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (options === null) return err(errors);
    const { saml, oidcLogin = [] } = options;
    if (saml === undefined && oidcLogin.length === 0) {
      return err([...errors, unplacedProblem('error', 'the agent has no saml block and no oidc-login block')]);
    }
    const report: OptionReport = (option, message, suggestion) =>
      errors.push(toConfigurationProblem({ severity: 'error', option, message, suggestion: suggestion ?? null }));
    const logins = enabledLogins(
      oidcLogin.map((login) => ({ ...login, enabled: true })),
      report,
      ignored,
    );
    const asEnabled = saml === undefined ? {} : { saml: { ...saml, enabled: true } };
    if (asEnabled.saml !== undefined) enabledSaml(asEnabled.saml, report, ignored);
    const sessions = enabledSessions({ ...options, ...asEnabled }, logins, report, ignored);
    if (errors.length > 0 || sessions === null) return err(errors);
    return ok({ options: sessions.store, namespace: sessions.namespace, idleMs: sessions.idleMs, audit });
  };
