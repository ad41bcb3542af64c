import { describe, expect, it } from 'vitest';
import { nodeSocketLayer } from '../../../../src/adapters/stream-sockets/node-socket-layer.js';
import { SocketLayerSelector } from '../../../../src/adapters/stream-sockets/socket-layer-selector.js';

const native = { ...nodeSocketLayer, name: 'native' as const };
const missing = (): Promise<never> => Promise.reject(new Error('it is not built'));

describe('the socket layer', () => {
  it('is native with auto where the addon loads', async () => {
    const layers = new SocketLayerSelector(async () => native);
    expect(layers.name).toBe('node');
    expect(await layers.choose('auto')).toEqual({ ok: true, value: null });
    expect(layers.name).toBe('native');
  });

  it('is node:net with auto where the addon does not load, with the reason', async () => {
    const layers = new SocketLayerSelector(missing);
    expect(await layers.choose('auto')).toEqual({ ok: true, value: 'it is not built' });
    expect(layers.name).toBe('node');
  });

  it('is refused with native where the addon does not load, and stays what it was', async () => {
    const layers = new SocketLayerSelector(missing);
    expect(await layers.choose('native')).toEqual({ ok: false, error: 'it is not built' });
    expect(layers.current).toBe(nodeSocketLayer);
  });

  it('follows a reload in both directions, and loads the addon once', async () => {
    let loads = 0;
    const layers = new SocketLayerSelector(async () => {
      loads += 1;
      return native;
    });
    const names: string[] = [];
    for (const wanted of ['node', 'auto', 'node', 'native'] as const) {
      await layers.choose(wanted);
      names.push(layers.name);
    }
    expect(names).toEqual(['node', 'native', 'node', 'native']);
    expect(loads).toBe(1);
  });
});
