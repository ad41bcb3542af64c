import { expect, it } from 'vitest';
import type { LoadedConfiguration } from '../../../../src/application/ports/gateway/configuration-source.js';
import { noOverrides, withOverrides } from '../../../../src/bootstrap/gateway/command-line-overrides.js';
import { testConfiguration } from '../../../support/gateway/in-process-gateway.js';

const configuration = testConfiguration([], {
  system: { ...testConfiguration([]).system, workerThreads: 3 },
});
const source = (loaded: LoadedConfiguration) => ({ load: async () => loaded });

const systemOf = async (overrides: Parameters<typeof withOverrides>[1]) =>
  (await withOverrides(source({ configuration, problems: [] }), overrides).load()).configuration?.system;

it('puts what the command line says in the place of what the file says', async () => {
  expect(await systemOf(noOverrides)).toEqual(configuration.system);
  expect(await systemOf({ workerThreads: 0 })).toEqual({ ...configuration.system, workerThreads: 0 });
});

it('leaves a configuration that could not be read alone', async () => {
  const loaded = { configuration: null, problems: [] };
  expect(await withOverrides(source(loaded), { workerThreads: 1 }).load()).toEqual(loaded);
});
