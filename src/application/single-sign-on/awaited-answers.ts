import type { SignOnRequest } from '../../domain/saml/sign-on/sign-on-request.js';
import { ok, type Result } from '../../domain/shared/result.js';
import type { StoreFailure } from '../ports/session-store.js';
import type { SingleSignOnParts } from './single-sign-on-parts.js';

const handleLength = 43;

/** Finds the request of ours that a message answers, once: whoever comes after with the same RelayState finds nothing. */
export class AwaitedAnswers {
  readonly #parts: Pick<SingleSignOnParts, 'requests' | 'digest' | 'clock'>;

  constructor(parts: Pick<SingleSignOnParts, 'requests' | 'digest' | 'clock'>) {
    this.#parts = parts;
  }

  /** Null: no request of that kind goes by it. */
  async take(relayState: string, kind: SignOnRequest['kind']): Promise<Result<SignOnRequest | null, StoreFailure>> {
    // The handles that we give out have one length: anything else is not worth asking the store.
    if (relayState.length !== handleLength) return ok(null);
    const { requests, digest, clock } = this.#parts;
    const taken = await requests.take(digest.sha256Hex(relayState), clock.wallMs());
    return taken.ok && taken.value?.kind !== kind ? ok(null) : taken;
  }
}
