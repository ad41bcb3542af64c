import {
  assertionAlgorithm,
  assertionClient,
  checkClientAssertion,
} from '../../../domain/agent/token-exchange/client-assertion-rules.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { parseCompactJws } from '../../../domain/agent/tokens/compact-jws.js';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { ClientKey } from '../../ports/agent/token-signing-keys.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { AssertionMemory, TakenAssertion } from './spent-assertions.js';

export interface ClientAssertionsOptions {
  /** With distinct ids. */
  readonly clients: readonly { readonly id: string; readonly keys: readonly ClientKey[] }[];
  readonly issuer: string;
  readonly endpointUrl: string;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  readonly clock: Clock;
  /** The used assertions of the agent. */
  readonly spent: AssertionMemory;
  /** The used assertions of all processes that share a store; null: only the agent remembers them. */
  readonly replays: Pick<ReplayStore, 'remember'> | null;
}

/** A valid assertion that is not yet marked as used. */
export interface ProvenAssertion {
  readonly clientId: string;
  /** `jti`. */
  readonly id: string;
  /** `aud`. */
  readonly audience: string;
  /** Milliseconds since the Unix epoch. */
  readonly untilMs: number;
}

const untaken: Readonly<Record<Exclude<TakenAssertion, 'first'>, ExchangeReason>> = {
  seen: 'client_assertion_replayed',
  full: 'overloaded',
  unavailable: 'store_unavailable',
};

type KeysByAlgorithm = ReadonlyMap<AsymmetricAlgorithm, readonly TokenVerifier[]>;

const byAlgorithm = (keys: readonly ClientKey[]): KeysByAlgorithm => {
  const grouped = new Map<AsymmetricAlgorithm, TokenVerifier[]>();
  for (const { algorithm, verifier } of keys) {
    const verifiers = grouped.get(algorithm) ?? [];
    verifiers.push(verifier);
    grouped.set(algorithm, verifiers);
  }
  return grouped;
};

/** Assertions that clients sign with their keys (RFC 7523, section 2.2). Each can be used once. */
export class ClientAssertions {
  readonly #parts: ClientAssertionsOptions;
  readonly #keys: ReadonlyMap<string, KeysByAlgorithm>;
  /** By algorithm, the keys of the client with the most of them. */
  readonly #decoys: KeysByAlgorithm;

  constructor(parts: ClientAssertionsOptions) {
    this.#parts = parts;
    this.#keys = new Map(parts.clients.map(({ id, keys }) => [id, byAlgorithm(keys)]));
    const decoys = new Map<AsymmetricAlgorithm, readonly TokenVerifier[]>();
    for (const grouped of this.#keys.values()) {
      for (const [algorithm, verifiers] of grouped) {
        if (verifiers.length > (decoys.get(algorithm)?.length ?? 0)) decoys.set(algorithm, verifiers);
      }
    }
    this.#decoys = decoys;
  }

  /**
   * Verifies signature and claims. Does not mark the assertion as used: `spend` does.
   * @param named the client id beside the assertion; null: none
   */
  check(assertion: string, named: string | null): Result<ProvenAssertion, ExchangeReason> {
    const { issuer, endpointUrl, clock } = this.#parts;
    const parsed = parseCompactJws(assertion);
    if (!parsed.ok) return err('wrong_client_assertion');
    const { header, payload } = parsed.value;
    const algorithm = assertionAlgorithm(header);
    const clientId = assertionClient(payload);
    if (algorithm === null || clientId === null) return err('wrong_client_assertion');
    if (named !== null && named !== clientId) return err('client_mismatch');
    if (!this.#isSignedBy(clientId, algorithm, assertion)) return err('wrong_client_assertion');
    const accepted = checkClientAssertion(payload, { clientId, issuer, endpointUrl }, clock.wallMs());
    return accepted.ok ? ok({ clientId, ...accepted.value }) : accepted;
  }

  /** The client that an assertion names, unverified. */
  claimedBy(assertion: string): string | null {
    const parsed = parseCompactJws(assertion);
    return parsed.ok ? assertionClient(parsed.value.payload) : null;
  }

  /** Whether this agent has already accepted the assertion, so that it cannot be spent. */
  isSpent(assertion: ProvenAssertion): boolean {
    return this.#parts.spent.has(assertion.clientId, this.#keyOf(assertion));
  }

  /**
   * Marks an assertion as used; null if this is its first use. An assertion that could not be stored may be sent again.
   * Never rejects.
   */
  async spend(assertion: ProvenAssertion): Promise<ExchangeReason | null> {
    const { spent, replays, clock } = this.#parts;
    const { clientId, audience, untilMs } = assertion;
    const key = this.#keyOf(assertion);
    const taken = await spent.take(clientId, key);
    if (taken !== 'first') return untaken[taken];
    if (replays === null) return null;
    // Agents with other issuers may share the store, and may have different clients of the same id.
    const remembered = await replays.remember(this.#keyOf(assertion, audience), untilMs, clock.wallMs());
    if (remembered.ok) return remembered.value === 'first' ? null : 'client_assertion_replayed';
    spent.giveBack(clientId, key);
    return 'store_unavailable';
  }

  /**
   * Neither audiences nor client ids contain a line end, so distinct values have distinct texts. The prefix separates
   * them from other uses of the store.
   */
  #keyOf({ clientId, id }: ProvenAssertion, ...audience: readonly string[]): string {
    return this.#parts.digest.sha256Hex(['client_assertion', ...audience, clientId, id].join('\n'));
  }

  /**
   * A wrong signature costs as many verifications for every client id, known or not. Timing reveals only which of its
   * own keys a client used.
   */
  #isSignedBy(clientId: string, algorithm: AsymmetricAlgorithm, assertion: string): boolean {
    const own = this.#keys.get(clientId)?.get(algorithm) ?? [];
    if (own.some((verifier) => verifier.isSigned(assertion))) return true;
    for (const decoy of this.#decoys.get(algorithm)?.slice(own.length) ?? []) decoy.isSigned(assertion);
    return false;
  }
}
