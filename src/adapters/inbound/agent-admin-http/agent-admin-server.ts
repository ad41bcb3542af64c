import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnswerAgentAdmin } from '../../../application/agent/serve-admin/answer-agent-admin.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { Random } from '../../../application/ports/shared/random.js';
import { isUnixSocket, type StreamAddress } from '../../../domain/configuration/network-addresses.js';
import { streamAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import { acceptCorrelationId, correlationIdHeader } from '../../../domain/http/correlation-id.js';

/** Operators and the workers of some gateways. */
const maxConnections = 64;
/** Time for a request head, in milliseconds. */
const defaultHeadTimeoutMs = 5_000;
/** Time for a whole request, and for an idle connection; milliseconds. */
const requestTimeoutMs = 10_000;
/** Maximum octets of a request head, and number of its fields. */
const maxHeadBytes = 8_192;
const maxFields = 64;

/** Makes a server listen on a socket file. */
export type BindAdminSocket = (server: Server, path: string) => Promise<void>;

export interface AgentAdminServerPorts {
  readonly bindSocketPath: BindAdminSocket;
  readonly random: Random;
  readonly logger: Logger;
}

/** The admin server cannot listen. The message is one line for the operator. */
export class AdminAddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AdminAddressError';
  }
}

/** Serves the admin endpoints of an agent, in plain HTTP. */
export class AgentAdminServer {
  readonly #address: StreamAddress;
  readonly #admin: Pick<AnswerAgentAdmin, 'answer'>;
  readonly #ports: AgentAdminServerPorts;
  readonly #server: Server;

  constructor(
    address: StreamAddress,
    admin: Pick<AnswerAgentAdmin, 'answer'>,
    ports: AgentAdminServerPorts,
    headTimeoutMs = defaultHeadTimeoutMs,
  ) {
    this.#address = address;
    this.#admin = admin;
    this.#ports = ports;
    const limits = { headersTimeout: headTimeoutMs, requestTimeout: requestTimeoutMs, maxHeaderSize: maxHeadBytes };
    const options = { ...limits, connectionsCheckingInterval: 1_000 };
    this.#server = createServer(options, (request, response) => void this.#answer(request, response));
    this.#server.maxConnections = maxConnections;
    this.#server.maxHeadersCount = maxFields;
    this.#server.setTimeout(requestTimeoutMs);
  }

  /** Resolves with the address in use. Rejects with an AdminAddressError. */
  async listen(): Promise<StreamAddress> {
    const { logger, bindSocketPath } = this.#ports;
    const address = this.#address;
    try {
      if (isUnixSocket(address)) {
        await bindSocketPath(this.#server, address.path);
      } else {
        this.#server.listen(address.port, address.host);
        await once(this.#server, 'listening');
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      throw new AdminAddressError(`cannot serve admin endpoints on ${streamAddressText(address)}: ${reason}`);
    }
    this.#server.on('error', (error) => logger.error('the admin server failed', { reason: error.message }));
    const used = isUnixSocket(address)
      ? address
      : { host: address.host, port: (this.#server.address() as AddressInfo).port };
    logger.info('the agent serves its admin endpoints', { address: streamAddressText(used) });
    return used;
  }

  /** Refuses new connections, waits for answers within the grace, then closes the rest. */
  async close(graceMs: number): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const ending = setTimeout(() => this.#server.closeAllConnections(), Math.min(graceMs, requestTimeoutMs));
    await closed;
    clearTimeout(ending);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request;
    const target = request.url ?? '';
    const mark = target.indexOf('?');
    const correlationId = acceptCorrelationId(headers['x-correlation-id']?.toString()) ?? this.#ports.random.uuid();
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
    const answer = await this.#admin.answer({
      method: request.method ?? '',
      path: mark < 0 ? target : target.slice(0, mark),
      query: mark < 0 ? '' : target.slice(mark + 1),
      authorizations: request.headersDistinct['authorization'] ?? [],
      hasBody,
      peerAddress: request.socket.remoteAddress ?? 'unix',
      correlationId,
    });
    const fields = [...answer.headers, correlationIdHeader, correlationId];
    if (answer.status !== 204) fields.push('Content-Length', String(Buffer.byteLength(answer.body)));
    // The body stays unread, so the connection cannot carry another request.
    if (hasBody || !this.#server.listening) fields.push('Connection', 'close');
    response.writeHead(answer.status, fields);
    response.end(answer.body === '' ? undefined : answer.body, () => {
      if (hasBody) request.destroy();
    });
  }
}
