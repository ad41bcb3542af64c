import type { ConfigurationProblem } from '../../domain/configuration/configuration-problem.js';
import type { AgentOptionLocator } from '../../domain/configuration/gateway/agent-option-places.js';
import type { GatewayConfiguration } from '../../domain/configuration/gateway-configuration.js';

/** What came of reading a configuration. */
export interface LoadedConfiguration {
  /** Null where there was any error. */
  readonly configuration: GatewayConfiguration | null;
  /** Errors and warnings, in the order of the file. */
  readonly problems: readonly ConfigurationProblem[];
  /** Finds what is wrong with what options of agents name; absent where the configuration is no text. */
  readonly locate?: AgentOptionLocator;
}

/** Where the gateway's configuration comes from. */
export interface ConfigurationSource {
  /** Reads, checks and completes the whole configuration. Never rejects: what goes wrong is a problem in the result. */
  load(): Promise<LoadedConfiguration>;
}
