import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Octets of a request body that are echoed; the rest is read and counted. */
const maxEchoedOctets = 65_536;

/** An upstream that answers with the request it received, for demonstrations. */
export class EchoUpstream {
  readonly #server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    let octets = 0;
    request.on('data', (piece: Buffer) => {
      if (octets < maxEchoedOctets) pieces.push(piece.subarray(0, maxEchoedOctets - octets));
      octets += piece.length;
    });
    request.on('error', () => response.destroy());
    request.on('end', () => {
      const { method, url, headers } = request;
      const body = { method, url, headers, body: Buffer.concat(pieces).toString(), bodyOctets: octets };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(`${JSON.stringify(body, null, 2)}\n`);
    });
  });

  /** Resolves with the port in use; 0 chooses a free port. Rejects if the port is unavailable. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
