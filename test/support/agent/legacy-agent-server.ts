import { createServer, type Server, type Socket } from 'node:net';
import {
  readRequestHeadersJson,
  requestBodyChunk,
  requestComplete,
  responseBodyChunk,
  responseHeaders,
} from '../../../src/adapters/wire/agent-messages/event-messages.js';
import type { AgentService } from '../../../src/application/ports/agent/agent-service.js';
import type { AgentEvent } from '../../../src/domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { answerJson } from '../shared/answer-json.js';
import { RawLegacyPeer } from '../shared/raw-legacy-agent.js';

const readers: Readonly<Record<string, (payload: JsonObject) => AgentEvent>> = {
  request_headers: readRequestHeadersJson,
  request_body_chunk: (payload) => requestBodyChunk.fromJson(payload),
  response_headers: (payload) => responseHeaders.fromJson(payload),
  response_body_chunk: (payload) => responseBodyChunk.fromJson(payload),
  request_complete: (payload) => requestComplete.fromJson(payload),
};

/** Serves an agent in the older framing, which no agent of ours speaks: one thing at a time on each connection. */
export class LegacyAgentServer {
  readonly #path: string;
  readonly #service: AgentService;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(path: string, service: AgentService) {
    this.#path = path;
    this.#service = service;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      void this.#serve(new RawLegacyPeer(socket));
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(this.#path, resolve));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  async #serve(peer: RawLegacyPeer): Promise<void> {
    const connection = Symbol('legacy');
    for (let count = 1; !peer.isClosed; count += 1) {
      const message = await peer.received(count);
      if (message === undefined) break;
      const payload = message.payload as JsonObject;
      if (message.event_type === 'configure') {
        const giver = { proxyId: '', proxyVersion: '', connection };
        const taken = await this.#service.configure(payload['config'] as JsonObject, giver, 'handshake');
        peer.send(taken.ok ? { success: true } : { success: false, error: taken.error });
        continue;
      }
      const event = readers[message.event_type]?.(payload);
      if (event === undefined) throw new Error(`no such event: ${message.event_type}`);
      // Nobody who breaks has an answer to give.
      const answer = await Promise.resolve(this.#service.decide(event, connection)).catch(() => null);
      if (answer === null) peer.socket.destroy();
      else if (!peer.isClosed) peer.send(answerJson(answer, event.correlationId));
    }
    this.#service.disconnected(connection);
  }
}
