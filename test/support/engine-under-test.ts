import type { ConfigurationSource } from '../../src/application/ports/configuration-source.js';
import { withInstead } from '../../src/bootstrap/instead-of-keys.js';
import {
  type HttpEngineName,
  httpEngineNames,
  standardHttpEngine,
} from '../../src/domain/configuration/gateway-configuration.js';

const variable = 'GATEWAY_HTTP_ENGINE';

const named = (): HttpEngineName => {
  const name = process.env[variable] ?? '';
  if (name === '') return standardHttpEngine;
  const engine = httpEngineNames.find((each) => each === name);
  if (engine === undefined) throw new Error(`${variable} names no engine: ${name}`);
  return engine;
};

/**
 * The HTTP engine of every gateway that a test starts without a wish of its own. Built programs read the same variable of their environment,
 * which the projects of vitest.config.ts set.
 */
export const engineUnderTest: HttpEngineName = named();

/** A source whose gateways have that engine, whatever the file says. */
export const ofEngineUnderTest = (source: ConfigurationSource): ConfigurationSource =>
  withInstead(source, { workerThreads: null, httpEngine: engineUnderTest });
