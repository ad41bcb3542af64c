import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../../application/ports/agent/sign-on-request-store.js';
import type { SignOnRequest } from '../../../domain/agent/saml/sign-on/sign-on-request.js';
import { err, ok } from '../../../domain/shared/result.js';
import { notOurs, numberOf, timeToLive } from './redis-answers.js';
import type { RedisConnection } from './redis-connection.js';
import type { RedisScript } from './redis-script.js';
import { readRequestRecord, writeRequestRecord } from './request-record.js';
import { expireRequestsScript, findRequestScript, keepRequestScript, takeRequestScript } from './request-scripts.js';

/** Keeps requests to the identity provider in Redis: the answer may come to another process than the one that asked. */
export class RedisSignOnRequestStore implements SignOnRequestStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #mostRequests: number;

  /** @param mostRequests with the longest of paths 1 000 of them take 5 MiB of memory */
  constructor(connection: RedisConnection, prefix: string, mostRequests: number) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#mostRequests = mostRequests;
  }

  async insert(request: SignOnRequest): Stored<void> {
    const { handleHash, createdMs, expiresMs } = request;
    const kept = numberOf(
      await this.#connection.run(keepRequestScript, this.#prefix, [
        handleHash,
        writeRequestRecord(request),
        String(createdMs),
        String(expiresMs),
        timeToLive(createdMs, expiresMs),
        String(this.#mostRequests),
      ]),
    );
    if (!kept.ok) return kept;
    return kept.value === 1 ? ok(undefined) : err({ reason: 'there is a request of this handle already' });
  }

  find(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    return this.#ask(findRequestScript, handleHash, nowMs);
  }

  take(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    return this.#ask(takeRequestScript, handleHash, nowMs);
  }

  async removeExpired(nowMs: number, limit: number): Stored<number> {
    return numberOf(await this.#connection.run(expireRequestsScript, this.#prefix, [String(nowMs), String(limit)]));
  }

  async #ask(script: RedisScript, handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    const answer = await this.#connection.run(script, this.#prefix, [handleHash]);
    if (!answer.ok) return answer;
    if (answer.value === null) return ok(null);
    const request = typeof answer.value === 'string' ? readRequestRecord(handleHash, answer.value) : null;
    if (request === null) return notOurs;
    return ok(request.expiresMs <= nowMs ? null : request);
  }
}
