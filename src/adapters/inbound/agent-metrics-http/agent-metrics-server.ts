import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { MetricsPage } from '../../../application/ports/shared/metrics-page.js';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';

/** A scraper polls every few seconds over one connection. */
const maxConnections = 32;
/** Time for a request head, in milliseconds. */
const headTimeoutMs = 5_000;
/** Time for a whole request, in milliseconds. */
const requestTimeoutMs = 10_000;
/** Maximum octets of a request head. */
const maxHeadBytes = 8_192;

const plain = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

/** The metrics server cannot listen. The message is one line for the operator. */
export class MetricsAddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MetricsAddressError';
  }
}

/** Serves an agent's metrics at /metrics, without authentication. */
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
      throw new MetricsAddressError(`cannot serve metrics on ${host}:${port}: ${reason}`);
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
    // Ignores the query: some scrapers send parameters.
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') {
      response.writeHead(404, plain).end('Not found. Metrics are at /metrics.\n');
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { ...plain, Allow: 'GET, HEAD' }).end('Method not allowed. Use GET.\n');
      return;
    }
    try {
      const text = await this.#page.render();
      const head = { ...plain, 'Content-Type': this.#page.contentType, 'Content-Length': Buffer.byteLength(text) };
      response.writeHead(200, head).end(request.method === 'HEAD' ? undefined : text);
    } catch (error) {
      this.#logger.error('Rendering the metrics failed', {
        reason: error instanceof Error ? error.message : 'unknown',
      });
      response.writeHead(500, plain).end('The metrics are unavailable.\n');
    }
  }
}
