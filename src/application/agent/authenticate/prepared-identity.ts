import type { MappedAttribute } from '../../../domain/agent/configuration/saml-options.js';
import { type ClaimBounds, claimBounds } from '../../../domain/agent/identity/bounded-headers.js';
import { type Identity, identityRemarks } from '../../../domain/agent/identity/identity.js';
import { type IdentityHeaderNames, identityHeaders } from '../../../domain/agent/identity/identity-headers.js';
import type { AuthenticationMethod } from '../../../domain/agent/identity/request-credentials.js';
import { rememberAnswer } from '../../../domain/agent-protocol/lasting-answers.js';
import {
  type AgentAnswer,
  allowAnswer,
  emptyAudit,
  type HeaderOperation,
} from '../../../domain/agent-protocol/messages.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';

/** Left-out claims that one log line names, at most. */
const namedAtMost = 10;
const pathLength = 64;
/** Between two lines on claims of one method, at least: clients decide how many tokens there are. */
export const leftOutLineMs = 60_000;

/** Makes the headers of identities, and logs now and then which claims no header tells. */
export class IdentityPreparation {
  readonly #names: IdentityHeaderNames;
  readonly #mapping: readonly MappedAttribute[];
  readonly #bounds: ClaimBounds;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #lines = new Map<AuthenticationMethod, OncePerPeriod>();

  /**
   * @param maxClaimBytes octets of one claim's header value
   * @param mapping the attributes of single sign-on that become headers
   */
  constructor(
    names: IdentityHeaderNames,
    maxClaimBytes: number,
    logger: Logger,
    clock: Clock,
    mapping: readonly MappedAttribute[] = [],
  ) {
    this.#names = names;
    this.#bounds = claimBounds(maxClaimBytes);
    this.#mapping = mapping;
    this.#logger = logger;
    this.#clock = clock;
  }

  prepare(identity: Identity): PreparedIdentity {
    const { operations, leftOut } = identityHeaders(identity, this.#names, this.#mapping, this.#bounds);
    const untold = leftOut.length === 0 ? null : this.#linesOf(identity.method).take();
    if (untold !== null) {
      this.#logger.warn('claims were left out of the identity headers', {
        method: identity.method,
        count: leftOut.length,
        claims: leftOut.slice(0, namedAtMost).map(({ path, reason }) => `${path.slice(0, pathLength)}: ${reason}`),
        untold,
      });
    }
    return preparedIdentity(identity, operations);
  }

  #linesOf(method: AuthenticationMethod): OncePerPeriod {
    const known = this.#lines.get(method);
    if (known !== undefined) return known;
    const lines = new OncePerPeriod(this.#clock, leftOutLineMs);
    this.#lines.set(method, lines);
    return lines;
  }
}

/** An identity with the headers that tell of it, made once and used for every request it makes. */
export interface PreparedIdentity {
  readonly identity: Identity;
  readonly operations: readonly HeaderOperation[];
  /** What its requests are answered where no policy is asked and nothing else is to be done to their headers. */
  readonly answer: AgentAnswer;
}

export const preparedIdentity = (identity: Identity, operations: readonly HeaderOperation[]): PreparedIdentity => ({
  identity,
  operations,
  answer: rememberAnswer({
    ...allowAnswer,
    requestHeaders: operations,
    audit: { ...emptyAudit, custom: identityRemarks(identity) },
  }),
});
