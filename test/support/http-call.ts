import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export interface HttpCall {
  readonly path?: string;
  readonly method?: string;
  /** A flat list of names and values is sent as it is, in its order. */
  readonly headers?: OutgoingHttpHeaders | readonly string[];
  readonly body?: string | Uint8Array;
  /** Keeps connections; without one each call has its own. */
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request to a port of 127.0.0.1, and its whole answer. Rejects where there is none. */
export const call = (port: number, options: HttpCall = {}): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const { path = '/', method = 'GET', headers = {}, body, agent, signal } = options;
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers,
        agent: agent ?? false,
        ...(signal && { signal }),
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
