import type { RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { addressGroup } from '../../../../domain/http/ip-address.js';
import { err, type Result } from '../../../../domain/shared/result.js';
import type { VerifierFailure } from '../../../ports/agent/saml-document-verifier.js';

type Verified<Document> = Result<Document, VerifierFailure>;

/** Verifies a document within the share of its client; `overloaded` if the client has used all of it. */
export const sharedVerification = <Document>(
  shares: VerificationShares,
  { metadata }: RequestHeadersEvent,
  verify: () => Promise<Verified<Document>>,
): Promise<Verified<Document>> => shares.run(metadata.clientIp, verify) ?? Promise.resolve(err('overloaded'));

/**
 * Maximum concurrent documents per address group. It suffices for an office behind one address whose users sign on in
 * the same minute.
 */
export const documentsOfGroup = 32;

/** Limits concurrent documents per address group, so that no client occupies the verifier alone. */
export class VerificationShares {
  readonly #underWay = new Map<string, number>();

  /**
   * Runs a job that waits for a verification.
   * @returns null if the client's group is at its limit; the job did not run
   */
  run<T>(clientIp: string, job: () => Promise<T>): Promise<T> | null {
    const group = addressGroup(clientIp);
    const underWay = this.#underWay.get(group) ?? 0;
    if (underWay >= documentsOfGroup) return null;
    this.#underWay.set(group, underWay + 1);
    return this.#ended(group, job);
  }

  async #ended<T>(group: string, job: () => Promise<T>): Promise<T> {
    try {
      return await job();
    } finally {
      const underWay = (this.#underWay.get(group) ?? 0) - 1;
      if (underWay > 0) this.#underWay.set(group, underWay);
      else this.#underWay.delete(group);
    }
  }
}
