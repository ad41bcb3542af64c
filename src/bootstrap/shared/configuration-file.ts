import { KdlConfigurationSource } from '../../adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import type { AgentBlockReader } from '../../application/ports/agent/agent-block-reader.js';
import type { ConfigurationSource } from '../../application/ports/gateway/configuration-source.js';
import { agentBlockReader } from '../../application/whole/read-agent-block.js';

/**
 * The configuration of a file, with secrets from this process's environment.
 *
 * @param texts see `KdlConfigurationOptions`
 */
export const configurationFile = (path: string, texts?: ReadonlyMap<string, string>): ConfigurationSource =>
  new KdlConfigurationSource(path, {
    environment: process.env,
    patterns: re2PathPatterns,
    ...(texts === undefined ? {} : { texts }),
  });

/** The agent blocks of a file. */
export const agentBlocksOfFile = (path: string): AgentBlockReader => agentBlockReader(configurationFile(path));
