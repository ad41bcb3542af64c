import { type IncomingMessage, request } from 'node:http';
import type {
  AdministeredPage,
  AdministeredSession,
  SessionAdministration,
} from '../../../application/ports/shared/session-administration.js';
import { isUnixSocket, type StreamAddress } from '../../../domain/configuration/network-addresses.js';
import { streamAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import { correlationIdHeader } from '../../../domain/http/correlation-id.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { readSessions } from './read-sessions.js';

/** From the attempt to connect to the last octet, in milliseconds. */
const defaultDeadlineMs = 2_000;
/** Maximum octets of an answer: a thousand sessions with long names. */
const maxBodyOctets = 4 * 1024 * 1024;
const maxHeadBytes = 16_384;
const path = '/admin/sessions';

/** Returns why a socket must not be used; null: its owner is trusted. */
export type SocketFault = (path: string) => Promise<string | null>;

export interface AgentAdminAddress {
  readonly address: StreamAddress;
  readonly token: Secret;
  readonly socketFault: SocketFault;
  readonly deadlineMs?: number;
}

interface Reply {
  readonly status: number;
  /** Null: it is empty or not JSON. */
  readonly body: unknown;
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

const readReply = async (response: IncomingMessage): Promise<Result<Reply, string>> => {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets > maxBodyOctets) return err(`its answer has more than ${maxBodyOctets} octets`);
    chunks.push(chunk);
  }
  return ok({ status: response.statusCode ?? 0, body: readJson(Buffer.concat(chunks).toString('utf8')) });
};

/** The sessions at the admin endpoints of an agent in another process. Trusts no answer: see `readSessions`. */
export class HttpSessionAdministration implements SessionAdministration {
  readonly #admin: AgentAdminAddress;

  constructor(admin: AgentAdminAddress) {
    this.#admin = admin;
  }

  get store(): object {
    return this;
  }

  async list({
    userId,
    limit,
    after,
  }: Parameters<SessionAdministration['list']>[0]): Promise<Result<AdministeredPage, string>> {
    const query = new URLSearchParams({ limit: String(limit) });
    if (userId !== null) query.set('user', userId);
    if (after !== null) query.set('after', `:${after}`);
    const page = await this.#get(query, limit);
    if (!page.ok || userId === null || page.value.sessions.every((session) => session.userId === userId)) return page;
    return err('its answer has sessions of other users');
  }

  async find(prefix: string): Promise<Result<readonly AdministeredSession[], string>> {
    const page = await this.#get(new URLSearchParams({ id: prefix }), 2);
    if (!page.ok) return page;
    const { sessions } = page.value;
    const isAsked = sessions.every(({ id }) => id.startsWith(prefix) || prefix.startsWith(id));
    return isAsked ? ok(sessions) : err('its answer has sessions with other ids');
  }

  async revoke(id: string, correlationId: string): Promise<Result<boolean, string>> {
    const reply = await this.#ask('DELETE', `${path}/${id}`, { [correlationIdHeader]: correlationId });
    if (!reply.ok) return reply;
    const { status } = reply.value;
    if (status === 204) return ok(true);
    return status === 404 ? ok(false) : this.#unexpected(status);
  }

  async #get(query: URLSearchParams, limit: number): Promise<Result<AdministeredPage, string>> {
    const reply = await this.#ask('GET', `${path}?${query}`);
    if (!reply.ok) return reply;
    if (reply.value.status !== 200) return this.#unexpected(reply.value.status);
    const page = readSessions(reply.value.body, limit);
    return page === null ? err('its answer is not a list of sessions') : ok(page);
  }

  #unexpected(status: number): Result<never, string> {
    return status === 401
      ? err('it refuses the token: admin-token of the agent must be the token of the block admin')
      : err(`it answers ${status}`);
  }

  async #ask(
    method: string,
    target: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Result<Reply, string>> {
    const { address, token, socketFault, deadlineMs = defaultDeadlineMs } = this.#admin;
    if (isUnixSocket(address)) {
      const fault = await socketFault(address.path);
      if (fault !== null) return err(`${streamAddressText(address)}: ${fault}`);
    }
    const signal = AbortSignal.timeout(deadlineMs);
    const place = isUnixSocket(address) ? { socketPath: address.path } : { host: address.host, port: address.port };
    return new Promise((resolve) => {
      const fail = (error: unknown): void => {
        const reason = signal.aborted ? `no answer within ${deadlineMs} ms` : `no connection (${codeOf(error)})`;
        resolve(err(`${streamAddressText(address)}: ${reason}`));
      };
      const sent = request(
        {
          ...place,
          method,
          path: target,
          agent: false,
          signal,
          maxHeaderSize: maxHeadBytes,
          headers: {
            Host: isUnixSocket(address) ? 'localhost' : streamAddressText(address),
            Authorization: `Bearer ${token.reveal()}`,
            ...fields,
          },
        },
        (response) => {
          readReply(response)
            .then(resolve, fail)
            .finally(() => response.destroy());
        },
      );
      sent.on('error', fail);
      // Without a listener, neither an answer nor an error would follow.
      sent.on('upgrade', ({ statusCode = 0 }, socket) => {
        socket.destroy();
        resolve(this.#unexpected(statusCode));
      });
      sent.end();
    });
  }
}
