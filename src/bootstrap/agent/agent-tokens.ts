import type { ServiceIdentifier } from 'inversify';
import type { AuthAgent } from '../../application/agent/agent-service/auth-agent.js';
import type { PasswordChecks } from '../../application/agent/authenticate/password-checks.js';
import type { StartOptions } from '../../application/agent/configure-agent/agent-configuration-in-force.js';
import type { AgentProcessServices } from '../../application/agent/configure-agent/agent-process-services.js';
import type { SamlServices } from '../../application/agent/configure-agent/saml-services.js';
import type { AssertionMemories } from '../../application/agent/exchange-token/spent-assertions.js';
import type { KeySets } from '../../application/agent/keys/key-sets.js';
import type { SessionEndings } from '../../application/agent/sessions/session-endings.js';
import type { SessionStoreLeases } from '../../application/agent/sessions/session-store-leases.js';
import type { ProviderEndpointRegistry } from '../../application/agent/sign-on/oidc/discovery/provider-endpoint-registry.js';
import type { IdentityProviderTrusts } from '../../application/agent/sign-on/saml/trust/identity-provider-trusts.js';
import type { KeySetSource, MetadataSource } from '../../application/ports/agent/key-set-source.js';
import type { PasswordVerifier } from '../../application/ports/agent/password-verifier.js';
import type { PolicyFiles } from '../../application/ports/agent/policy-files.js';
import type { ProviderEndpoints } from '../../application/ports/agent/provider-endpoints.js';
import type { SamlDocumentVerifier } from '../../application/ports/agent/saml-document-verifier.js';
import type { SamlKeys } from '../../application/ports/agent/saml-keys.js';
import type { SessionStoreOpener } from '../../application/ports/agent/session-stores.js';
import type { TokenSigningKeys } from '../../application/ports/agent/token-signing-keys.js';
import type { VerificationKeys } from '../../application/ports/agent/token-verifier.js';
import type { CertificateReaderLoader } from '../../application/ports/shared/certificate-reader.js';
import type { ChangingFileReader } from '../../application/ports/shared/changing-file-reader.js';
import type { RateLimitStore } from '../../application/ports/shared/rate-limit-store.js';
import type { SecretDigest } from '../../application/ports/shared/secret-digest.js';
import type { TextFileReader } from '../../application/ports/shared/text-file-reader.js';

/**
 * Creates an agent. An embedded agent has no start options, logs with its name, and has its own
 * spent assertions and rates. It denies nothing before `start` or `configure` has succeeded.
 */
export type AgentFactory = (start: StartOptions, embeddedName?: string) => AuthAgent;

/**
 * Services that the agents of a process share. Spent assertions and rates are those of a
 * standalone agent.
 */
export type SharedAgentServices = Omit<AgentProcessServices, 'outcomes'>;

/** Inversify tokens of the agent. The gateway loads the same module for its embedded agents. */
export const agentTokens = {
  secretDigest: Symbol('SecretDigest') as ServiceIdentifier<SecretDigest>,
  verificationKeys: Symbol('VerificationKeys') as ServiceIdentifier<VerificationKeys>,
  tokenSigningKeys: Symbol('TokenSigningKeys') as ServiceIdentifier<TokenSigningKeys>,
  textFileReader: Symbol('TextFileReader') as ServiceIdentifier<TextFileReader>,
  changingFiles: Symbol('ChangingFileReader') as ServiceIdentifier<ChangingFileReader>,
  policyFiles: Symbol('PolicyFiles') as ServiceIdentifier<PolicyFiles>,
  keySetSource: Symbol('KeySetSource') as ServiceIdentifier<KeySetSource>,
  keySets: Symbol('KeySets') as ServiceIdentifier<KeySets>,
  loadCertificateReader: Symbol('CertificateReaderLoader') as ServiceIdentifier<CertificateReaderLoader>,
  passwordVerifier: Symbol('PasswordVerifier') as ServiceIdentifier<PasswordVerifier>,
  passwordChecks: Symbol('PasswordChecks') as ServiceIdentifier<PasswordChecks>,
  /** Client assertions that were accepted, against replay. */
  spentAssertions: Symbol('AssertionMemories') as ServiceIdentifier<AssertionMemories>,
  /** Rate-limit buckets of token exchange. Each program binds its own. */
  exchangeRates: Symbol('RateLimitStore of token exchange') as ServiceIdentifier<RateLimitStore>,
  samlDocumentVerifier: Symbol('SamlDocumentVerifier') as ServiceIdentifier<SamlDocumentVerifier>,
  samlKeys: Symbol('SamlKeys') as ServiceIdentifier<SamlKeys>,
  metadataSource: Symbol('MetadataSource') as ServiceIdentifier<MetadataSource>,
  identityProviderTrusts: Symbol('IdentityProviderTrusts') as ServiceIdentifier<IdentityProviderTrusts>,
  sessionStoreOpener: Symbol('SessionStoreOpener') as ServiceIdentifier<SessionStoreOpener>,
  sessionEndings: Symbol('SessionEndings') as ServiceIdentifier<SessionEndings>,
  sessionStoreLeases: Symbol('SessionStoreLeases') as ServiceIdentifier<SessionStoreLeases>,
  introspectionEndpoint: Symbol('IntrospectionEndpoint') as ServiceIdentifier<Pick<ProviderEndpoints, 'requestTokens'>>,
  providerEndpoints: Symbol('ProviderEndpoints') as ServiceIdentifier<ProviderEndpoints>,
  knownProviders: Symbol('ProviderEndpointRegistry') as ServiceIdentifier<ProviderEndpointRegistry>,
  samlServices: Symbol('SamlServices') as ServiceIdentifier<SamlServices>,
  agentProcessServices: Symbol('AgentProcessServices') as ServiceIdentifier<SharedAgentServices>,
  agentFactory: Symbol('AgentFactory') as ServiceIdentifier<AgentFactory>,
} as const;
