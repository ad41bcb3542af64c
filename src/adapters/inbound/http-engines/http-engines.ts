import type {
  BoundListener,
  HttpEngine,
  ListenerOptions,
  RequestHandler,
  TlsContext,
  TlsMaterial,
} from '../../../application/ports/http-engine.js';
import type { ListeningSockets } from '../../../application/ports/listening-sockets.js';
import type { SocketAddress } from '../../../domain/configuration/gateway-configuration.js';
import type { Result } from '../../../domain/shared/result.js';
import { prepareTls } from './connections/prepared-tls.js';
import { CoreHttpEngine } from './core/core-http-engine.js';
import { NodeHttpEngine } from './node/node-http-engine.js';

/** The engines there are; each listener says which of them serves it. */
export class HttpEngines implements HttpEngine {
  readonly #core: CoreHttpEngine;
  readonly #node: NodeHttpEngine;

  constructor(sockets: ListeningSockets) {
    this.#core = new CoreHttpEngine(sockets);
    this.#node = new NodeHttpEngine(sockets);
  }

  prepareTls(material: TlsMaterial): Result<TlsContext, string> {
    return prepareTls(material, Date.now());
  }

  bind(key: string, address: SocketAddress, handler: RequestHandler, options: ListenerOptions): Promise<BoundListener> {
    const engine = options.engine === 'core' ? this.#core : this.#node;
    return engine.bind(key, address, handler, options);
  }
}
