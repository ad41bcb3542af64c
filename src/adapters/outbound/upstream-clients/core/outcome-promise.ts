import type { UpstreamFailure, UpstreamResponse } from '../../../../application/ports/upstream-client.js';
import type { Result } from '../../../../domain/shared/result.js';

/** What becomes of a request. */
export type Outcome = Result<UpstreamResponse, UpstreamFailure>;

/** What resolves the promise that was made last: kept here so that a request costs no closure. */
let lastResolve: (outcome: Outcome) => void = () => undefined;
const noteResolve = (resolve: (outcome: Outcome) => void): void => {
  lastResolve = resolve;
};

/** An outcome that is to come. */
export const newOutcome = (): Promise<Outcome> => new Promise(noteResolve);

/** What resolves the outcome that was made last. */
export const resolverOfLast = (): ((outcome: Outcome) => void) => lastResolve;
