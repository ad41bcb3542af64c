import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenListener } from '../../../application/ports/http-engine.js';
import type { SocketAddress } from '../../../domain/configuration/gateway-configuration.js';

/** How often a draining listener looks for connections that have become idle. */
const sweepMs = 100;

export class NodeOpenListener implements OpenListener {
  readonly #server: Server;
  readonly #address: SocketAddress;
  readonly #sockets = new Set<Socket>();

  constructor(
    readonly key: string,
    server: Server,
    address: SocketAddress,
  ) {
    this.#server = server;
    this.#address = address;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  address(): SocketAddress {
    return this.#address;
  }

  connections(): number {
    return this.#sockets.size;
  }

  drain(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      // Idle keep-alive connections end now, the others with their response: the gateway says close in each.
      const sweep = setInterval(() => this.#closeIdle(), sweepMs);
      const cut = setTimeout(() => {
        for (const socket of this.#sockets) socket.destroy();
      }, graceMs);
      this.#server.close(() => {
        clearInterval(sweep);
        clearTimeout(cut);
        resolve();
      });
      this.#closeIdle();
    });
  }

  #closeIdle(): void {
    this.#server.closeIdleConnections();
    // Node calls a connection idle only once it has had a request; one that never sent anything would hold the drain.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
