import type { AgentOptionLocator } from '../../../domain/configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import type { Setting } from '../../../domain/configuration/setting/setting.js';
import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';

/** What came of reading a configuration. */
export interface LoadedConfiguration {
  /** Null where there was any error. */
  readonly configuration: GatewayConfiguration | null;
  /** Errors and warnings, in the order of the file. */
  readonly problems: readonly ConfigurationProblem[];
  /** Finds what is wrong with what options of agents name; absent where the configuration is no text. */
  readonly locate?: AgentOptionLocator;
  /** What was read, by path, so that it can be read again as it was. May hold secrets. Absent where the configuration is no text. */
  readonly texts?: ReadonlyMap<string, string>;
  /** What is unsafe in a configuration without errors, as warnings; absent where the configuration is no text. */
  readonly advise?: () => readonly ConfigurationProblem[];
  /** What was written, those of included files in their places; absent where the configuration is no text. May hold secrets. */
  readonly settings?: readonly Setting[];
}

/** Where the gateway's configuration comes from. */
export interface ConfigurationSource {
  /** Reads, checks and completes the whole configuration. Never rejects: what goes wrong is a problem in the result. */
  load(): Promise<LoadedConfiguration>;
}
