import { providerLabel } from '../../../domain/agent/configuration/oidc-option-rules.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { IdentityProviderTrust } from '../sign-on/saml/trust/identity-provider-trust.js';
import type { ProviderKeySets } from './agent-key-sets.js';
import { optionProblem } from './option-problem.js';
import type { PreparedMethods } from './prepare-methods.js';
import type { PreparedLogins } from './prepared-logins.js';
import type { PreparedSaml } from './prepared-saml.js';

/** Warns if the identity provider is not known yet. Its metadata is fetched until it is. */
const missingMetadata = (trust: IdentityProviderTrust): AgentOptionProblem[] => {
  if (trust.state() !== 'absent') return [];
  const reason = trust.lastFailure() ?? 'there is no answer yet';
  const message = `the metadata of the identity provider is unavailable, so sign-ons fail: ${reason}`;
  return [optionProblem('warning', 'saml', message)];
};

/** Warnings about the identity provider as currently known; later changes go to the log. Call once. */
const providerWarnings = ({ trust, signingDemand }: PreparedSaml): AgentOptionProblem[] => [
  ...missingMetadata(trust),
  ...signingDemand.begin(),
];

/** Warns about providers without keys. Their key sets are fetched until they arrive. */
const missingKeys = ({ providers }: ProviderKeySets): AgentOptionProblem[] =>
  providers.flatMap(({ options, keys }, index) => {
    if (keys.state() !== 'absent') return [];
    const reason = keys.lastFailure() ?? 'there is no answer yet';
    const message = `${providerLabel(options, index)}: its keys are unavailable, so its tokens cannot be verified: ${reason}`;
    return [optionProblem('warning', 'oidc', message)];
  });

/** Warns about revocation lists that are outdated already. */
const outdatedRevocations = ({ mtls }: PreparedMethods): AgentOptionProblem[] =>
  (mtls?.revocations?.troubles() ?? []).map((trouble) =>
    optionProblem('warning', 'mtls', trouble.slice('mtls: '.length)),
  );

interface LoadedProviders {
  readonly methods: PreparedMethods;
  readonly keySets: ProviderKeySets;
  readonly saml: PreparedSaml | null;
  readonly logins: PreparedLogins | null;
}

/** Warnings about what the first fetches and files of a configuration did not bring. Call once per configuration. */
export const loadWarnings = ({ methods, keySets, saml, logins }: LoadedProviders): AgentOptionProblem[] => [
  ...outdatedRevocations(methods),
  ...missingKeys(keySets),
  ...(saml === null ? [] : providerWarnings(saml)),
  ...(logins?.warnings() ?? []),
];
