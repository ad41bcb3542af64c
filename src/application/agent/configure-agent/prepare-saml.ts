import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { IdentityProviderTrust } from '../sign-on/saml/trust/identity-provider-trust.js';
import type { AgentParts } from './agent-parts.js';
import { optionProblem } from './option-problem.js';
import { PreparedSaml } from './prepared-saml.js';
import type { SamlFiles } from './saml-files.js';
import { WarmUp } from './warm-up.js';

/** Opens the stores, and begins to see to the identity provider; null where it is not configured. What is made has to be released. */
export const prepareSaml = async (
  options: CompleteAgentOptions,
  files: SamlFiles | null,
  parts: AgentParts,
): Promise<Result<PreparedSaml | null, AgentOptionProblem>> => {
  const { saml } = options;
  if (saml === null || files === null) return ok(null);
  const warmUp = new WarmUp(parts.saml.warmUp, parts.logger);
  const stores = await parts.saml.stores.acquire(saml.store, saml.entityId);
  if (!stores.ok) return err(optionProblem('error', 'saml', `the session store: ${stores.error}`));
  const trust = parts.saml.trusts.acquire(saml.identityProvider, files.certificates);
  return ok(new PreparedSaml(saml, options, files, { stores: stores.value, trust }, warmUp, parts));
};

/** What there is to say where the identity provider is not known yet. Its metadata is fetched until it is. */
const missingMetadata = (trust: IdentityProviderTrust): AgentOptionProblem[] => {
  if (trust.state() !== 'absent') return [];
  const reason = trust.lastFailure() ?? 'there is no answer yet';
  const message = `the metadata of the identity provider cannot be had, and nobody can sign on: ${reason}`;
  return [optionProblem('warning', 'saml', message)];
};

/** What there is to say of the identity provider as it is known by now; what changes later, the log is told. To be called once. */
export const providerWarnings = ({ trust, signingDemand }: PreparedSaml): AgentOptionProblem[] => [
  ...missingMetadata(trust),
  ...signingDemand.begin(),
];
