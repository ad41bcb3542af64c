import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { ok, type Result } from '../../../../domain/shared/result.js';
import type { StoreFailure } from '../../../ports/agent/session-store.js';
import type { SingleSignOnParts } from './single-sign-on-parts.js';

const handleLength = 43;

/** Whether a RelayState can be a handle that we gave out. */
export const isHandle = (relayState: string): boolean => relayState.length === handleLength;

/**
 * Finds the request of ours that a message answers; it is taken once: whoever comes after with the same RelayState
 * finds nothing.
 */
export class AwaitedAnswers {
  readonly #parts: Pick<SingleSignOnParts, 'requests' | 'digest' | 'clock'>;

  constructor(parts: Pick<SingleSignOnParts, 'requests' | 'digest' | 'clock'>) {
    this.#parts = parts;
  }

  /** Leaves it there; null: no request of that kind goes by it. */
  find(relayState: string, kind: 'sign_on' | 'sign_out'): Promise<Result<SignOnRequest | null, StoreFailure>> {
    return this.#ask('find', relayState, kind);
  }

  /** Null: no request of that kind goes by it, or not any more. */
  take(relayState: string, kind: 'sign_on' | 'sign_out'): Promise<Result<SignOnRequest | null, StoreFailure>> {
    return this.#ask('take', relayState, kind);
  }

  async #ask(
    how: 'find' | 'take',
    relayState: string,
    kind: 'sign_on' | 'sign_out',
  ): Promise<Result<SignOnRequest | null, StoreFailure>> {
    // The handles that we give out have one length: anything else is not worth asking the store.
    if (!isHandle(relayState)) return ok(null);
    const { requests, digest, clock } = this.#parts;
    const found = await requests[how](digest.sha256Hex(relayState), clock.wallMs());
    return found.ok && found.value?.kind !== kind ? ok(null) : found;
  }
}
