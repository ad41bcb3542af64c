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

/** Maximum omitted claims per log line. */
const namedAtMost = 10;
const pathLength = 64;
/** Minimum interval between log lines about the claims of one method: clients control their number. */
export const omittedClaimLogIntervalMs = 60_000;

/** Prepares the headers of identities, and logs omitted claims at intervals. */
export class IdentityPreparation {
  readonly #names: IdentityHeaderNames;
  readonly #mapping: readonly MappedAttribute[];
  readonly #bounds: ClaimBounds;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #lines = new Map<AuthenticationMethod, OncePerPeriod>();

  /**
   * @param maxClaimBytes maximum octets of the header value of a claim
   * @param mapping the claims or SAML attributes that get separate headers
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

  /** @param own further operations, after the identity headers */
  prepare(identity: Identity, own: readonly HeaderOperation[] = []): PreparedIdentity {
    const { operations, leftOut } = identityHeaders(identity, this.#names, this.#mapping, this.#bounds);
    const untold = leftOut.length === 0 ? null : this.#linesOf(identity.method).take();
    if (untold !== null) {
      this.#logger.warn('claims were omitted from the identity headers', {
        method: identity.method,
        count: leftOut.length,
        claims: leftOut.slice(0, namedAtMost).map(({ path, reason }) => `${path.slice(0, pathLength)}: ${reason}`),
        untold,
      });
    }
    return preparedIdentity(identity, own.length === 0 ? operations : [...operations, ...own]);
  }

  #linesOf(method: AuthenticationMethod): OncePerPeriod {
    const known = this.#lines.get(method);
    if (known !== undefined) return known;
    const lines = new OncePerPeriod(this.#clock, omittedClaimLogIntervalMs);
    this.#lines.set(method, lines);
    return lines;
  }
}

/** An identity and its headers, prepared once and used for all its requests. */
export interface PreparedIdentity {
  readonly identity: Identity;
  readonly operations: readonly HeaderOperation[];
  /** The answer if there are no policies and no other header operations. */
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
