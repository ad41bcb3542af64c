import type { ConfigurationProblem } from '../../domain/configuration/configuration-problem.js';
import type { GatewayConfiguration } from '../../domain/configuration/gateway-configuration.js';

/** What came of reading a configuration. */
export interface LoadedConfiguration {
  /** Null where there was any error. */
  readonly configuration: GatewayConfiguration | null;
  /** Errors and warnings, in the order of the file. */
  readonly problems: readonly ConfigurationProblem[];
}

/** Where the gateway's configuration comes from. */
export interface ConfigurationSource {
  /** Reads, checks and completes the whole configuration. Never rejects: what goes wrong is a problem in the result. */
  load(): Promise<LoadedConfiguration>;
}
