import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../src/domain/shared/json.js';

/** What the endpoint does with one request, whose form it has read. */
export type IntrospectionAnswer = (response: ServerResponse, form: URLSearchParams, request: IncomingMessage) => void;

export const clientId = 'api';
export const clientSecret = 'a secret: with+odd%characters';

/** Answers with JSON. */
export const answering =
  (members: JsonObject): IntrospectionAnswer =>
  (response) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(members));

/** An introspection endpoint (RFC 7662) on a free loopback port, which answers as a test wants. */
export class LyingIntrospection {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  /** The tokens that were asked about, in order. */
  readonly asked: string[] = [];
  /** Connections that the agent opened. */
  connections = 0;
  /** What was wrong with requests of the agent; empty: nothing. */
  readonly faults: string[] = [];
  answer: IntrospectionAnswer = answering({ active: false });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/introspect`;
  }

  get block(): JsonObject {
    return { url: this.url, 'client-id': clientId, 'client-secret': clientSecret };
  }

  async start(): Promise<void> {
    this.#server.on('connection', () => {
      this.connections += 1;
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** Ends the connections that are idle, as a server does after a while. */
  endIdleConnections(): void {
    this.#server.closeIdleConnections();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const basic = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
    if (request.method !== 'POST' || request.url !== '/introspect')
      this.faults.push(`${request.method} ${request.url}`);
    if (request.headers.authorization !== basic) this.faults.push('wrong client');
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') this.faults.push('no form');
    this.asked.push(form.get('token') ?? '');
    this.answer(response, form, request);
  }
}
