import type { Identity } from '../../../domain/agent/identity/identity.js';
import { identityRemarks } from '../../../domain/agent/identity/identity-remarks.js';
import { rememberAnswer } from '../../../domain/agent-protocol/lasting-answers.js';
import {
  type AgentAnswer,
  allowAnswer,
  emptyAudit,
  type HeaderOperation,
} from '../../../domain/agent-protocol/messages.js';

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
