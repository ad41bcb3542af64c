import type { TargetClientFactory } from '../../../application/ports/gateway/upstream-client.js';
import type { SocketLayerSelector } from '../../stream-sockets/socket-layer-selector.js';
import { CoreTargetClient } from './core/core-target-client.js';
import { Http2TargetClient } from './http2/http2-target-client.js';

/** Creates clients, each for one address, with the upstream's protocol. */
export const targetClients =
  (layers: SocketLayerSelector): TargetClientFactory =>
  (settings) =>
    settings.httpVersion === '2' ? new Http2TargetClient(settings) : new CoreTargetClient(settings, layers);
