import { describe, expect, it } from 'vitest';
import { nodeSockets } from '../../../../src/adapters/stream-sockets/node-sockets.js';
import { SocketLayers } from '../../../../src/adapters/stream-sockets/socket-layers.js';

const native = { ...nodeSockets, name: 'native' as const };
const missing = (): Promise<never> => Promise.reject(new Error('it is not built'));

describe('the socket layer', () => {
  it('is native with auto where the addon loads', async () => {
    const layers = new SocketLayers(async () => native);
    expect(layers.name).toBe('node');
    expect(await layers.choose('auto')).toEqual({ ok: true, value: null });
    expect(layers.name).toBe('native');
  });

  it('is node:net with auto where the addon does not load, with the reason', async () => {
    const layers = new SocketLayers(missing);
    expect(await layers.choose('auto')).toEqual({ ok: true, value: 'it is not built' });
    expect(layers.name).toBe('node');
  });

  it('is refused with native where the addon does not load, and stays what it was', async () => {
    const layers = new SocketLayers(missing);
    expect(await layers.choose('native')).toEqual({ ok: false, error: 'it is not built' });
    expect(layers.current).toBe(nodeSockets);
  });

  it('follows a reload in both directions, and loads the addon once', async () => {
    let loads = 0;
    const layers = new SocketLayers(async () => {
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
