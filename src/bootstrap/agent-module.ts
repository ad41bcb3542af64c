import { ContainerModule } from 'inversify';
import { HmacSecretDigest } from '../adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { JoseVerificationKeys } from '../adapters/outbound/jose-tokens/jose-verification-keys.js';
import { NodeTextFileReader } from '../adapters/outbound/node-text-files/node-text-file-reader.js';
import { AuthAgent } from '../application/agent-service/auth-agent.js';
import {
  AgentConfigurationInForce,
  type StartOptions,
} from '../application/configure-agent/agent-configuration-in-force.js';
import type { AgentParts } from '../application/configure-agent/prepare-agent.js';
import type { Clock } from '../application/ports/clock.js';
import type { Logger } from '../application/ports/logger.js';
import type { Random } from '../application/ports/random.js';
import type { SecretDigest } from '../application/ports/secret-digest.js';
import type { TextFileReader } from '../application/ports/text-file-reader.js';
import type { VerificationKeys } from '../application/ports/token-verifier.js';
import { type AgentFactory, agentTokens } from './agent-tokens.js';
import { sharedTokens } from './shared-tokens.js';

/** How often an agent reports, in milliseconds (agent protocol v2). */
export const agentReportIntervals = { healthIntervalMs: 5_000, metricsIntervalMs: 10_000 } as const;

/** The agent and its adapters. Needs clock, logger, random and version of `sharedTokens`. */
export const agentModule = new ContainerModule(({ bind }) => {
  bind(agentTokens.secretDigest)
    .toResolvedValue(() => new HmacSecretDigest(), [])
    .inSingletonScope();
  bind(agentTokens.verificationKeys)
    .toResolvedValue(() => new JoseVerificationKeys(), [])
    .inSingletonScope();
  bind(agentTokens.textFileReader)
    .toResolvedValue(() => new NodeTextFileReader(), [])
    .inSingletonScope();
  bind(agentTokens.agentParts)
    .toResolvedValue(
      (
        clock: Clock,
        logger: Logger,
        digest: SecretDigest,
        keys: VerificationKeys,
        files: TextFileReader,
      ): AgentParts => ({ clock, logger, digest, keys, files }),
      [
        sharedTokens.clock,
        sharedTokens.logger,
        agentTokens.secretDigest,
        agentTokens.verificationKeys,
        agentTokens.textFileReader,
      ],
    )
    .inSingletonScope();
  bind(agentTokens.agentFactory)
    .toResolvedValue(
      (parts: AgentParts, random: Random, version: string): AgentFactory =>
        (start: StartOptions) => {
          const facts = { agentId: random.uuid(), version, ...agentReportIntervals };
          return new AuthAgent(facts, new AgentConfigurationInForce(start, parts), parts.clock, parts.logger);
        },
      [agentTokens.agentParts, sharedTokens.random, sharedTokens.version],
    )
    .inSingletonScope();
});
