import type { RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { addressGroup } from '../../../../domain/http/ip-address.js';
import { err, type Result } from '../../../../domain/shared/result.js';
import type { VerifierFailure } from '../../../ports/agent/saml-document-verifier.js';

type Verified<Document> = Result<Document, VerifierFailure>;

/** Has a document verified within the share of the client that brought it; `overloaded` where that is used up. */
export const sharedVerification = <Document>(
  shares: VerificationShares,
  { metadata }: RequestHeadersEvent,
  verify: () => Promise<Verified<Document>>,
): Promise<Verified<Document>> => shares.run(metadata.clientIp, verify) ?? Promise.resolve(err('overloaded'));

/**
 * Documents of one address group that may be under way at a time: an office behind one address signs on in the same
 * minute.
 */
export const documentsOfGroup = 32;

/**
 * Sees to it that no client has the verifier alone: of one address group only so many documents are under way at a
 * time.
 */
export class VerificationShares {
  readonly #underWay = new Map<string, number>();

  /**
   * Runs the job, which waits for a verification and ends with it.
   *
   * @returns null: so many documents of the client's group wait or are at work; the job was not run
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
