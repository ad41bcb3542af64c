import {
  checkProofClaims,
  type DpopProof,
  type ProofRejection,
  type ProvenRequest,
  readProof,
} from '../../../domain/agent/tokens/dpop-proof.js';
import { allHeaders } from '../../../domain/http/header-list.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { TokenVerifier, VerificationKeys } from '../../ports/agent/token-verifier.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { type CheckOutcome, failedCheck, undecided } from './authentication-check.js';

export interface DpopProofsOptions {
  readonly keys: VerificationKeys;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  readonly clock: Clock;
  /** Used proofs, common to all workers, and to all replicas if the store is. */
  readonly replays: Pick<ReplayStore, 'remember'>;
  /** The origins at which clients reach the resource; empty: those of the requests. */
  readonly origins: ReadonlySet<string>;
  /** Separates the agents of one store: several agents check the same request. */
  readonly agent: string;
}

/** Maximum imported keys. A key is public and says nothing about a proof. */
const maximumKeys = 1_000;

/** Checks DPoP proofs (RFC 9449, section 4.3). Each proof counts once. */
export class DpopProofs {
  readonly #parts: DpopProofsOptions;
  /** By algorithm and thumbprint, oldest first. */
  readonly #verifiers = new Map<string, TokenVerifier>();

  constructor(parts: DpopProofsOptions) {
    this.#parts = parts;
  }

  /**
   * Why a request may not use a token that is bound to a key; null if it may. Without the store of used proofs the
   * request is undecided. Never rejects.
   *
   * @param keyHash the thumbprint of the key, in lower-case hexadecimal
   */
  async refusal(request: ProvenRequest, token: string, keyHash: string): Promise<CheckOutcome | null> {
    const { clock, digest, replays, agent, origins } = this.#parts;
    const read = readProof(allHeaders(request.headers, 'dpop'));
    if (!read.ok) return failedCheck(read.error);
    const proof = read.value;
    // The key of the token's issuer decides before any signature is verified.
    if (digest.sha256Hex(proof.thumbprintText) !== keyHash) return failedCheck('wrong_proof_key');
    const verifier = await this.#verifierOf(proof, keyHash);
    if (!verifier.ok) return failedCheck(verifier.error);
    const [compact = ''] = allHeaders(request.headers, 'dpop');
    if (!verifier.value.isSigned(compact)) return failedCheck('bad_proof_signature');
    const nowMs = clock.wallMs();
    const rules = { request, origins, tokenHash: digest.sha256Hex(token), nowMs };
    const accepted = checkProofClaims(proof.payload, rules);
    if (!accepted.ok) return failedCheck(accepted.error);
    const key = digest.sha256Hex(['dpop', agent, keyHash, accepted.value.id].join('\n'));
    const remembered = await replays.remember(key, accepted.value.untilMs + 1, nowMs);
    if (!remembered.ok) return undecided('store_unavailable');
    return remembered.value === 'first' ? null : failedCheck('used_proof');
  }

  async #verifierOf({ key }: DpopProof, keyHash: string): Promise<Result<TokenVerifier, ProofRejection>> {
    const { algorithm, jwk } = key;
    const name = `${algorithm} ${keyHash}`;
    const known = this.#verifiers.get(name);
    if (known !== undefined) return ok(known);
    const prepared = await this.#parts.keys.prepare({ algorithm, jwk });
    if (!prepared.ok) return err('unusable_proof_key');
    this.#verifiers.set(name, prepared.value);
    const [oldest] = this.#verifiers.keys();
    if (this.#verifiers.size > maximumKeys && oldest !== undefined) this.#verifiers.delete(oldest);
    return prepared;
  }
}
