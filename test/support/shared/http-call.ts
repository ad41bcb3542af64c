import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';

export interface HttpCall {
  readonly path?: string;
  readonly method?: string;
  /** A flat list of names and values is sent as it is, in its order. */
  readonly headers?: OutgoingHttpHeaders | readonly string[];
  readonly body?: string | Uint8Array;
  /** Keeps connections; without one each call has its own. */
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
  /** Over TLS, with these options. */
  readonly tls?: ConnectionOptions;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request to a port of 127.0.0.1, and its whole answer. Rejects where there is none. */
export const call = (port: number, options: HttpCall = {}): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const { path = '/', method = 'GET', headers = {}, body, agent, signal, tls } = options;
    const send = tls ? secureRequest : request;
    const sent = send(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers,
        agent: agent ?? false,
        ...(signal && { signal }),
        ...tls,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
