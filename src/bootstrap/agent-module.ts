import { ContainerModule } from 'inversify';
import { HmacSecretDigest } from '../adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { JoseVerificationKeys } from '../adapters/outbound/jose-tokens/jose-verification-keys.js';
import { NodeTextFileReader } from '../adapters/outbound/node-text-files/node-text-file-reader.js';
import { AuthAgent } from '../application/agent-service/auth-agent.js';
import { LoggerWithFields } from '../application/agent-service/logger-with-fields.js';
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
import { agentDefaults } from '../domain/configuration/agent-configuration.js';
import { type AgentFactory, agentTokens } from './agent-tokens.js';
import { sharedTokens } from './shared-tokens.js';

/** How often an agent reports, in milliseconds. */
export const agentReportIntervals = ({ overrides, block }: StartOptions) => ({
  healthIntervalMs: overrides.healthIntervalMs ?? block.healthIntervalMs ?? agentDefaults.healthIntervalMs,
  metricsIntervalMs: overrides.metricsIntervalMs ?? block.metricsIntervalMs ?? agentDefaults.metricsIntervalMs,
});

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
        (start: StartOptions, embeddedName?: string) => {
          const facts = { agentId: random.uuid(), version, ...agentReportIntervals(start) };
          const logger =
            embeddedName === undefined ? parts.logger : new LoggerWithFields(parts.logger, { agent: embeddedName });
          const configuration = new AgentConfigurationInForce(start, { ...parts, logger });
          return new AuthAgent(facts, configuration, parts.clock, logger);
        },
      [agentTokens.agentParts, sharedTokens.random, sharedTokens.version],
    )
    .inSingletonScope();
});
