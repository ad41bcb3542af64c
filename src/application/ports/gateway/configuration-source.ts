import type { AgentOptionLocator } from '../../../domain/configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import type { Setting } from '../../../domain/configuration/setting/setting.js';
import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';

/** The result of reading a configuration. */
export interface LoadedConfiguration {
  /** Null if there was an error. */
  readonly configuration: GatewayConfiguration | null;
  /** Errors and warnings, in the order of the file. */
  readonly problems: readonly ConfigurationProblem[];
  /** Locates problems with the options of agents; absent if the configuration is not a text. */
  readonly locate?: AgentOptionLocator;
  /**
   * The texts that were read, by path, to read the same configuration again. May hold secrets.
   * Absent if the configuration is not a text.
   */
  readonly texts?: ReadonlyMap<string, string>;
  /**
   * Warnings about unsafe settings, for a configuration without errors; absent if the configuration
   * is not a text.
   */
  readonly advise?: () => readonly ConfigurationProblem[];
  /**
   * The settings as written, with included files in place; absent if the configuration is not a
   * text. May hold secrets.
   */
  readonly settings?: readonly Setting[];
}

/** Loads the gateway's configuration. */
export interface ConfigurationSource {
  /**
   * Reads, checks and completes the whole configuration. Never rejects: failures are problems in
   * the result.
   */
  load(): Promise<LoadedConfiguration>;
}
