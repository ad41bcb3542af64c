import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { CleanUp } from '../shared/clean-up.js';

const channel = 'net.server.socket';

/** The listeners' ends of the connections that are accepted in this process. */
export class AcceptedSockets {
  readonly #sockets: Socket[] = [];

  constructor(cleanUp: CleanUp) {
    const note = (message: unknown): void => void this.#sockets.push((message as { readonly socket: Socket }).socket);
    subscribe(channel, note);
    cleanUp.add(() => unsubscribe(channel, note));
  }

  /** The other end of a connection of this process. What is pushed into it comes at once, as what the client has sent. */
  of({ localPort }: Socket): Socket {
    const accepted = this.#sockets.find(({ remotePort }) => remotePort === localPort);
    if (accepted === undefined) throw new Error('the connection was not accepted');
    return accepted;
  }
}
