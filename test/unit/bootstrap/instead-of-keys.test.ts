import { expect, it } from 'vitest';
import type { LoadedConfiguration } from '../../../src/application/ports/configuration-source.js';
import { nothingInstead, withInstead } from '../../../src/bootstrap/instead-of-keys.js';
import { testConfiguration } from '../../support/in-process-gateway.js';

const configuration = testConfiguration([], {
  system: { ...testConfiguration([]).system, workerThreads: 3, httpEngine: 'core' },
});
const source = (loaded: LoadedConfiguration) => ({ load: async () => loaded });

const systemOf = async (instead: Parameters<typeof withInstead>[1]) =>
  (await withInstead(source({ configuration, problems: [] }), instead).load()).configuration?.system;

it('puts what the command line says in the place of what the file says, key by key', async () => {
  expect(await systemOf(nothingInstead)).toEqual(configuration.system);
  expect(await systemOf({ workerThreads: 0, httpEngine: null })).toEqual({ ...configuration.system, workerThreads: 0 });
  expect(await systemOf({ workerThreads: null, httpEngine: 'node' })).toEqual({
    ...configuration.system,
    httpEngine: 'node',
  });
});

it('leaves a configuration that could not be read alone', async () => {
  const loaded = { configuration: null, problems: [] };
  expect(await withInstead(source(loaded), { workerThreads: 1, httpEngine: 'node' }).load()).toEqual(loaded);
});
