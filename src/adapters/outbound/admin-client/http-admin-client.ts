import { type IncomingMessage, request } from 'node:http';
import type { AdminClient, AdminFailure, AdminReply } from '../../../application/ports/gateway/admin-client.js';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import { socketAddressText } from '../../../domain/configuration/schema/network-kinds.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import { type Err, err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';

/** Maximum octets of a response: a configuration file may have many problems. */
const maxBodyOctets = 4 * 1024 * 1024;

/** Maps a wildcard listen address to the loopback address. */
const connectableHost = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
};

const failure = (kind: AdminFailure['kind'], detail: string): Err<AdminFailure> => err({ kind, detail });

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'for an unknown reason';

const connectFailure = (error: unknown): Err<AdminFailure> => {
  const code = codeOf(error);
  return code === 'ECONNREFUSED'
    ? failure('nobody_listens', 'connection refused')
    : failure('failed', `the connection failed (${code})`);
};

const readJson = (text: string): JsonValue => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
};

const readReply = async (response: IncomingMessage): Promise<Result<AdminReply, AdminFailure>> => {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets > maxBodyOctets) return failure('failed', `the response has more than ${maxBodyOctets} octets`);
    chunks.push(chunk);
  }
  return ok({ status: response.statusCode ?? 0, body: readJson(Buffer.concat(chunks).toString('utf8')) });
};

/** Calls the admin API over HTTP, at a listener without TLS. */
export class HttpAdminClient implements AdminClient {
  readonly #deadlineMs: number;

  /** @param deadlineMs from the connection attempt to the last octet of the response */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  post(address: SocketAddress, path: string, token: Secret): Promise<Result<AdminReply, AdminFailure>> {
    const signal = AbortSignal.timeout(this.#deadlineMs);
    return new Promise((resolve) => {
      const fail = (error: unknown) =>
        resolve(
          signal.aborted
            ? failure('timed_out', `no response within ${Math.round(this.#deadlineMs / 1000)} s`)
            : connectFailure(error),
        );
      const sent = request(
        {
          host: connectableHost(address.host),
          port: address.port,
          method: 'POST',
          path,
          agent: false,
          signal,
          headers: {
            Host: socketAddressText({ ...address, host: connectableHost(address.host) }),
            // The gateway reads headers as Latin-1 and compares UTF-8 octets.
            Authorization: `Bearer ${Buffer.from(token.reveal(), 'utf8').toString('latin1')}`,
            'Content-Length': 0,
          },
        },
        (response) => {
          readReply(response)
            .then(resolve, fail)
            .finally(() => response.destroy());
        },
      );
      sent.on('error', fail);
      sent.end();
    });
  }
}
