import type { SocketLayerChoice, SocketLayerName } from '../../application/ports/shared/socket-layer-choice.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import { NativeSocketLayer } from './native-socket-layer.js';
import { nodeSocketLayer } from './node-socket-layer.js';
import type { SocketLayer } from './socket-layer.js';

/** Chooses the layer for new listeners and new connections to upstreams. */
export class SocketLayerSelector implements SocketLayerChoice {
  #current: SocketLayer = nodeSocketLayer;
  #native: SocketLayer | null = null;
  readonly #load: () => Promise<SocketLayer>;

  /** @param load loads the native layer; rejects where it is not available */
  constructor(load: () => Promise<SocketLayer> = loadNative) {
    this.#load = load;
  }

  get current(): SocketLayer {
    return this.#current;
  }

  get name(): SocketLayer['name'] {
    return this.#current.name;
  }

  async choose(wanted: SocketLayerName): Promise<Result<string | null, string>> {
    if (wanted === 'node') {
      this.#current = nodeSocketLayer;
      return ok(null);
    }
    try {
      this.#native ??= await this.#load();
      this.#current = this.#native;
      return ok(null);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (wanted === 'native') return err(reason);
      this.#current = nodeSocketLayer;
      return ok(reason);
    }
  }
}

const loadNative = async (): Promise<SocketLayer> => {
  const { open } = await import('#native');
  return new NativeSocketLayer(open);
};
