import type { SocketAddress } from '../../../../domain/configuration/network-addresses.js';
import type { ListeningSocket, ListeningSockets } from '../../../ports/gateway/listening-sockets.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import { deserializeError } from '../supervise/serialized-failure.js';
import { listeningSocket } from '../supervise/worker-topics.js';

/** Timeout for a socket; milliseconds. It includes a lookup of the host name. */
const socketTimeoutMs = 15_000;

/** The sockets of a worker, which the supervisor binds. */
export class SupervisedSockets implements ListeningSockets {
  readonly #supervisor: WorkerChannel;
  readonly #createSocket: (attachment: object, address: SocketAddress) => ListeningSocket;

  /** `createSocket` makes a socket from the attachment of the answer. */
  constructor(
    supervisor: WorkerChannel,
    createSocket: (attachment: object, address: SocketAddress) => ListeningSocket,
  ) {
    this.#supervisor = supervisor;
    this.#createSocket = createSocket;
  }

  async open(key: string, address: SocketAddress, name: string): Promise<ListeningSocket> {
    const request = { key, address, name };
    const response = await this.#supervisor.askForAttachment(listeningSocket, request, socketTimeoutMs);
    if (!response.ok) throw new Error(`the supervisor sent no socket (${response.error})`);
    const { answer, attachment } = response.value;
    if (!answer.ok) throw deserializeError(answer.error);
    if (attachment === null) throw new Error('the socket that the supervisor sent did not arrive');
    return this.#createSocket(attachment, answer.value);
  }
}
