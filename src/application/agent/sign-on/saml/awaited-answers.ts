import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { ok, type Result } from '../../../../domain/shared/result.js';
import type { StoreFailure } from '../../../ports/agent/session-store.js';
import type { SingleSignOnOptions } from './single-sign-on-options.js';

const handleLength = 43;

/** Whether a RelayState can be a handle of this agent. */
export const isHandle = (relayState: string): boolean => relayState.length === handleLength;

/** Finds the request that a message answers. Only the first `take` of a RelayState returns it. */
export class AwaitedAnswers {
  readonly #parts: Pick<SingleSignOnOptions, 'requests' | 'digest' | 'clock'>;

  constructor(parts: Pick<SingleSignOnOptions, 'requests' | 'digest' | 'clock'>) {
    this.#parts = parts;
  }

  /** Returns the request without removing it; null if there is none of that kind. */
  find(relayState: string, kind: 'sign_on' | 'sign_out'): Promise<Result<SignOnRequest | null, StoreFailure>> {
    return this.#ask('find', relayState, kind);
  }

  /** Returns and removes the request; null if there is none of that kind any more. */
  take(relayState: string, kind: 'sign_on' | 'sign_out'): Promise<Result<SignOnRequest | null, StoreFailure>> {
    return this.#ask('take', relayState, kind);
  }

  async #ask(
    how: 'find' | 'take',
    relayState: string,
    kind: 'sign_on' | 'sign_out',
  ): Promise<Result<SignOnRequest | null, StoreFailure>> {
    // All handles have the same length, so other RelayStates need no query.
    if (!isHandle(relayState)) return ok(null);
    const { requests, digest, clock } = this.#parts;
    const found = await requests[how](digest.sha256Hex(relayState), clock.wallMs());
    return found.ok && found.value?.kind !== kind ? ok(null) : found;
  }
}
