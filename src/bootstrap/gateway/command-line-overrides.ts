import type { CommandLineOverrides } from '../../application/gateway/workers/supervise/worker-topics.js';
import type { ConfigurationSource } from '../../application/ports/gateway/configuration-source.js';

export type { CommandLineOverrides };

export const noOverrides: CommandLineOverrides = { workerThreads: null };

/** A source whose values are overridden by the command line. */
export const withOverrides = (
  source: ConfigurationSource,
  { workerThreads }: CommandLineOverrides,
): ConfigurationSource => {
  if (workerThreads === null) return source;
  return {
    load: async () => {
      const loaded = await source.load();
      const { configuration } = loaded;
      if (configuration === null) return loaded;
      const system = { ...configuration.system, workerThreads };
      return { ...loaded, configuration: { ...configuration, system } };
    },
  };
};
