import type { ServiceIdentifier } from 'inversify';
import type { AuthAgent } from '../application/agent-service/auth-agent.js';
import type { PasswordChecks } from '../application/authenticate-request/password-checks.js';
import type { StartOptions } from '../application/configure-agent/agent-configuration-in-force.js';
import type { AgentParts } from '../application/configure-agent/agent-parts.js';
import type { CertificateReader } from '../application/ports/certificate-reader.js';
import type { KeySetSource } from '../application/ports/key-set-source.js';
import type { PasswordVerifier } from '../application/ports/password-verifier.js';
import type { PolicyFiles } from '../application/ports/policy-files.js';
import type { SecretDigest } from '../application/ports/secret-digest.js';
import type { TextFileReader } from '../application/ports/text-file-reader.js';
import type { VerificationKeys } from '../application/ports/token-verifier.js';
import type { KeySets } from '../application/refresh-key-set/key-sets.js';

/**
 * Makes an agent with options that are there from the start; none for an embedded one, whose log lines bear its name. It
 * judges nothing before its `start` or `configure` has succeeded.
 */
export type AgentFactory = (start: StartOptions, embeddedName?: string) => AuthAgent;

/** What the agent is made of; the gateway loads the same for its embedded agents. */
export const agentTokens = {
  secretDigest: Symbol('SecretDigest') as ServiceIdentifier<SecretDigest>,
  verificationKeys: Symbol('VerificationKeys') as ServiceIdentifier<VerificationKeys>,
  textFileReader: Symbol('TextFileReader') as ServiceIdentifier<TextFileReader>,
  policyFiles: Symbol('PolicyFiles') as ServiceIdentifier<PolicyFiles>,
  keySetSource: Symbol('KeySetSource') as ServiceIdentifier<KeySetSource>,
  keySets: Symbol('KeySets') as ServiceIdentifier<KeySets>,
  certificateReader: Symbol('CertificateReader') as ServiceIdentifier<CertificateReader>,
  passwordVerifier: Symbol('PasswordVerifier') as ServiceIdentifier<PasswordVerifier>,
  passwordChecks: Symbol('PasswordChecks') as ServiceIdentifier<PasswordChecks>,
  agentParts: Symbol('AgentParts') as ServiceIdentifier<AgentParts>,
  agentFactory: Symbol('AgentFactory') as ServiceIdentifier<AgentFactory>,
} as const;
