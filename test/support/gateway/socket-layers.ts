import { SocketLayerSelector } from '../../../src/adapters/stream-sockets/socket-layer-selector.js';
import type { SocketLayerName } from '../../../src/application/ports/shared/socket-layer-choice.js';

/** The layer under test: `native`, `node` or (the default) what this machine has. */
export const testedSockets = (process.env['PORTCULLIS_TEST_SOCKETS'] ?? 'auto') as SocketLayerName;

/** Layers of which a test chooses one. */
export const layersOf = async (wanted: SocketLayerName): Promise<SocketLayerSelector> => {
  const layers = new SocketLayerSelector();
  const outcome = await layers.choose(wanted);
  if (!outcome.ok) throw new Error(outcome.error);
  return layers;
};

/** The socket layers of tests that run in this process. */
export const testSocketLayers = await layersOf(testedSockets);
