import type { SocketLayerChoice, WantedSockets } from '../../application/ports/gateway/socket-layer-choice.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import { NativeSockets } from './native-sockets.js';
import { nodeSockets } from './node-sockets.js';
import type { SocketLayer } from './socket-layer.js';

/** Chooses the layer for new listeners and new connections to upstreams. */
export class SocketLayers implements SocketLayerChoice {
  #current: SocketLayer = nodeSockets;
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

  async choose(wanted: WantedSockets): Promise<Result<string | null, string>> {
    if (wanted === 'node') {
      this.#current = nodeSockets;
      return ok(null);
    }
    try {
      this.#native ??= await this.#load();
      this.#current = this.#native;
      return ok(null);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (wanted === 'native') return err(reason);
      this.#current = nodeSockets;
      return ok(reason);
    }
  }
}

const loadNative = async (): Promise<SocketLayer> => {
  const { open } = await import('#native');
  return new NativeSockets(open);
};
