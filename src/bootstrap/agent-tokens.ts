import type { ServiceIdentifier } from 'inversify';
import type { AuthAgent } from '../application/agent-service/auth-agent.js';
import type { StartOptions } from '../application/configure-agent/agent-configuration-in-force.js';
import type { AgentParts } from '../application/configure-agent/prepare-agent.js';
import type { SecretDigest } from '../application/ports/secret-digest.js';
import type { TextFileReader } from '../application/ports/text-file-reader.js';
import type { VerificationKeys } from '../application/ports/token-verifier.js';

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
  agentParts: Symbol('AgentParts') as ServiceIdentifier<AgentParts>,
  agentFactory: Symbol('AgentFactory') as ServiceIdentifier<AgentFactory>,
} as const;
