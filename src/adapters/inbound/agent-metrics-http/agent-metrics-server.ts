import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { MetricsPage } from '../../../application/ports/shared/metrics-page.js';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';

/** A scraper asks once in some seconds, over one connection. */
const maxConnections = 32;
/** For the head of a request, in milliseconds. */
const headTimeoutMs = 5_000;
/** For everything else, in milliseconds. */
const requestTimeoutMs = 10_000;
/** Octets of a head. */
const maxHeadBytes = 8_192;

const plain = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

/** Where the metrics cannot be served: one line for whoever started the program. */
export class MetricsAddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MetricsAddressError';
  }
}

/** Serves the metrics of an agent at /metrics, for whoever can reach the address. */
export class AgentMetricsServer {
  readonly #address: SocketAddress;
  readonly #page: MetricsPage;
  readonly #logger: Logger;
  readonly #server: Server;

  constructor(address: SocketAddress, page: MetricsPage, logger: Logger) {
    this.#address = address;
    this.#page = page;
    this.#logger = logger;
    const options = { headersTimeout: headTimeoutMs, requestTimeout: requestTimeoutMs, maxHeaderSize: maxHeadBytes };
    this.#server = createServer(options, (request, response) => void this.#answer(request, response));
    this.#server.maxConnections = maxConnections;
    this.#server.setTimeout(requestTimeoutMs);
  }

  /** Resolves with the address in use. Rejects with a MetricsAddressError. */
  async listen(): Promise<SocketAddress> {
    const { host, port } = this.#address;
    try {
      this.#server.listen(port, host);
      await once(this.#server, 'listening');
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      throw new MetricsAddressError(`the metrics cannot be served on ${host}:${port}: ${reason}`);
    }
    this.#server.on('error', (error) => this.#logger.error('The metrics server failed', { reason: error.message }));
    const used = this.#server.address() as AddressInfo;
    this.#logger.info('The agent serves its metrics', { address: `${host}:${used.port}` });
    return { host, port: used.port };
  }

  close(): Promise<void> {
    if (!this.#server.listening) return Promise.resolve();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    // What comes behind the `?` changes nothing: some scrapers put parameters there.
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') {
      response.writeHead(404, plain).end('There is nothing here but /metrics.\n');
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { ...plain, Allow: 'GET, HEAD' }).end('The metrics are read with GET.\n');
      return;
    }
    try {
      const text = await this.#page.render();
      const head = { ...plain, 'Content-Type': this.#page.contentType, 'Content-Length': Buffer.byteLength(text) };
      response.writeHead(200, head).end(request.method === 'HEAD' ? undefined : text);
    } catch (error) {
      this.#logger.error('The metrics cannot be shown', { reason: error instanceof Error ? error.message : 'unknown' });
      response.writeHead(500, plain).end('The metrics cannot be shown.\n');
    }
  }
}
