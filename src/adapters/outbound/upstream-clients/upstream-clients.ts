import type { TargetClientFactory } from '../../../application/ports/gateway/upstream-client.js';
import type { SocketLayerSelector } from '../../stream-sockets/socket-layer-selector.js';
import { CoreTargetClient } from './core/core-target-client.js';
import { Http2TargetClient } from './http2/http2-target-client.js';
import { NegotiatingTargetClient } from './negotiated/negotiating-target-client.js';

/** Creates clients, each for one address, with the upstream's protocol. */
export const targetClients =
  (layers: SocketLayerSelector): TargetClientFactory =>
  (settings) => {
    const { httpVersion, tls } = settings;
    if (httpVersion === '2') return new Http2TargetClient(settings);
    if (httpVersion === '1.1' || tls === null) return new CoreTargetClient(settings, layers);
    return new NegotiatingTargetClient(settings, tls, (protocol, own, handshakeFailed) =>
      protocol === 'h2'
        ? new Http2TargetClient(own, handshakeFailed)
        : new CoreTargetClient(own, layers, handshakeFailed),
    );
  };
