import { err, ok, type Result } from '../../domain/shared/result.js';
import {
  assertionAlgorithm,
  assertionClient,
  checkClientAssertion,
} from '../../domain/token-exchange/client-assertion-rules.js';
import type { ExchangeReason } from '../../domain/token-exchange/exchange-refusal.js';
import { parseCompactJws } from '../../domain/tokens/compact-jws.js';
import type { AsymmetricAlgorithm } from '../../domain/tokens/signature-algorithm.js';
import { isCancelled } from '../cancellation/is-cancelled.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { Clock } from '../ports/clock.js';
import type { ReplayStore } from '../ports/replay-store.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import type { ClientKey } from '../ports/token-signing-keys.js';

export interface ClientAssertionsParts {
  /** No two have one id. */
  readonly clients: readonly { readonly id: string; readonly keys: readonly ClientKey[] }[];
  readonly issuer: string;
  readonly endpointUrl: string;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  readonly clock: Clock;
  readonly replays: Pick<ReplayStore, 'remember'>;
}

/** Assertions that clients sign with keys of their own (RFC 7523, section 2.2). Each is taken once. */
export class ClientAssertions {
  readonly #parts: ClientAssertionsParts;
  readonly #keys: ReadonlyMap<string, readonly ClientKey[]>;

  constructor(parts: ClientAssertionsParts) {
    this.#parts = parts;
    this.#keys = new Map(parts.clients.map(({ id, keys }) => [id, keys]));
  }

  /**
   * The id of the client that the assertion is of.
   *
   * @param named the id that stands beside it; null: none does
   */
  async check(
    assertion: string,
    named: string | null,
    cancellation: Cancellation,
  ): Promise<Result<string, ExchangeReason>> {
    const { issuer, endpointUrl, clock } = this.#parts;
    const parsed = parseCompactJws(assertion);
    if (!parsed.ok) return err('wrong_client_assertion');
    const { header, payload } = parsed.value;
    const algorithm = assertionAlgorithm(header);
    const clientId = assertionClient(payload);
    if (algorithm === null || clientId === null) return err('wrong_client_assertion');
    if (named !== null && named !== clientId) return err('client_mismatch');
    if (!this.#isSignedBy(clientId, algorithm, assertion)) return err('wrong_client_assertion');
    const nowMs = clock.wallMs();
    const accepted = checkClientAssertion(payload, { clientId, issuer, endpointUrl }, nowMs);
    if (!accepted.ok) return accepted;
    // One that nobody waits for has not been used.
    if (isCancelled(cancellation)) return err('cancelled');
    const { id, untilMs } = accepted.value;
    return this.#takeOnce(clientId, id, untilMs, nowMs);
  }

  /** Where the client has no such key that of another one is tried to no avail, so that the time does not tell who is known. */
  #isSignedBy(clientId: string, algorithm: AsymmetricAlgorithm, assertion: string): boolean {
    const fits = (key: ClientKey): boolean => key.algorithm === algorithm;
    const own = this.#keys.get(clientId)?.filter(fits) ?? [];
    if (own.length > 0) return own.some(({ verifier }) => verifier.isSigned(assertion));
    for (const keys of this.#keys.values()) {
      const decoy = keys.find(fits);
      if (decoy === undefined) continue;
      decoy.verifier.isSigned(assertion);
      break;
    }
    return false;
  }

  async #takeOnce(
    clientId: string,
    id: string,
    untilMs: number,
    nowMs: number,
  ): Promise<Result<string, ExchangeReason>> {
    const { issuer, digest, replays } = this.#parts;
    // Neither issuer nor client id has a line end: no two make one text, and none is a text of another purpose.
    const key = digest.sha256Hex(['client_assertion', issuer, clientId, id].join('\n'));
    const remembered = await replays.remember(key, untilMs, nowMs);
    if (!remembered.ok) return err('store_unavailable');
    return remembered.value === 'first' ? ok(clientId) : err('client_assertion_replayed');
  }
}
