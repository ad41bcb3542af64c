import { KdlConfigurationSource } from '../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import type { LoadedConfiguration } from '../../../src/application/ports/gateway/configuration-source.js';

/** Loads a configuration from a file as the gateway does. */
export const loadConfiguration = (
  path: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<LoadedConfiguration> => new KdlConfigurationSource(path, { environment, patterns: re2PathPatterns }).load();
