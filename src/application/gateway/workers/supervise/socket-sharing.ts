import type { SocketAddress } from '../../../../domain/configuration/network-addresses.js';
import type { GatewayConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import { err, ok } from '../../../../domain/shared/result.js';
import type { SharedSockets } from '../../../ports/gateway/listening-sockets.js';
import type { AttendedWorker } from '../../../shared/worker-channel/worker-channel.js';
import { type ListeningAddresses, listenerKeys, listeningAddresses } from '../../run-gateway/wanted-listeners.js';
import { serializeError } from './serialized-failure.js';
import type { SupervisedService } from './supervised-service.js';
import { listeningSocket } from './worker-topics.js';

/** Passes the listening sockets to the workers. */
export class SocketSharing implements SupervisedService {
  readonly #sockets: SharedSockets;
  /** By key, with the actual port in place of port 0. */
  readonly #addresses = new Map<string, SocketAddress>();

  constructor(sockets: SharedSockets) {
    this.#sockets = sockets;
  }

  attend({ channel }: AttendedWorker): void {
    channel.answerWithAttachment(listeningSocket, async ({ key, address, name }) => {
      try {
        const socket = await this.#sockets.open(key, address, name);
        this.#addresses.set(key, socket.address);
        return { answer: ok(socket.address), attachment: socket.listenable };
      } catch (error) {
        return { answer: err(serializeError(error)), attachment: null };
      }
    });
  }

  /** The addresses on which workers serve an adopted configuration. */
  addresses(configuration: GatewayConfiguration): ListeningAddresses {
    const open = Array.from(this.#addresses, ([key, address]) => ({ key, address: () => address }));
    return listeningAddresses(configuration, open);
  }

  adopt(configuration: GatewayConfiguration): void {
    const wanted = listenerKeys(configuration);
    for (const key of this.#addresses.keys()) if (!wanted.has(key)) this.#addresses.delete(key);
  }

  left(): void {}
}
