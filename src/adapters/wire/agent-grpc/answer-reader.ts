import {
  type AgentAnswer,
  type AgentAudit,
  type AgentDecision,
  emptyAudit,
  type HeaderOperation,
} from '../../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { readFloat } from './float-value.js';
import type { GrpcAgentResponse, GrpcAuditMetadata, GrpcHeaderOp } from './grpc-messages.js';
import { readHeaderFields } from './header-fields.js';
import { onlyMember } from './one-member.js';

const decisionNames = ['allow', 'block', 'redirect', 'challenge'] as const;
const operationNames = ['set', 'add', 'remove'] as const;

/** Null where there is none, or more than one. */
const readDecision = (response: GrpcAgentResponse): AgentDecision | null => {
  const { block, redirect, challenge } = response;
  switch (onlyMember(response, decisionNames)) {
    case 'allow':
      return { kind: 'allow' };
    case 'block':
      return {
        kind: 'block',
        status: block?.status ?? 0,
        body: block?.body ?? null,
        headers: readHeaderFields(block?.headers),
      };
    case 'redirect':
      return { kind: 'redirect', url: redirect?.url ?? '', status: redirect?.status ?? 0 };
    case 'challenge':
      return {
        kind: 'challenge',
        challengeType: challenge?.challenge_type ?? '',
        params: challenge?.params ?? {},
      };
    case null:
      return null;
  }
};

/** Null where one of them is none. */
const readOperations = (operations: readonly GrpcHeaderOp[] | undefined): readonly HeaderOperation[] | null => {
  const read: HeaderOperation[] = [];
  for (const operation of operations ?? []) {
    const kind = onlyMember(operation, operationNames);
    if (kind === null) return null;
    if (kind === 'remove') {
      read.push({ kind, name: operation.remove ?? '' });
    } else {
      const { name = '', value = '' } = operation[kind] ?? {};
      read.push({ kind, name, value });
    }
  }
  return read;
};

/** Null where a member has a value that it cannot have. */
const readAudit = (audit: GrpcAuditMetadata | null | undefined): AgentAudit | null => {
  if ((audit ?? null) === null) return emptyAudit;
  const { tags = [], rule_ids: ruleIds = [], reason_codes: reasonCodes = [], custom = {} } = audit ?? {};
  const confidence = (audit?.confidence ?? null) === null ? null : readFloat(audit?.confidence ?? 0);
  if (confidence === null && (audit?.confidence ?? null) !== null) return null;
  // Written for readers on the socket; it is no remark of the agent's.
  const { correlation_id: _, ...remarks } = custom;
  return { tags, ruleIds, confidence, reasonCodes, custom: remarks };
};

/** An answer without a decision is malformed: the published service would take it for an allow. */
export const readResponse = (response: GrpcAgentResponse): Result<AgentAnswer, string> => {
  const decision = readDecision(response);
  if (decision === null) return err('it has no decision, or several');
  const requestHeaders = readOperations(response.request_headers);
  const responseHeaders = readOperations(response.response_headers);
  if (requestHeaders === null || responseHeaders === null) return err('a header operation is none');
  const audit = readAudit(response.audit);
  if (audit === null) return err('"confidence" is no number');
  return ok({
    decision,
    requestHeaders,
    responseHeaders,
    needsMore: response.needs_more ?? false,
    audit,
    // The message has no place for them.
    requestBodyMutation: null,
    responseBodyMutation: null,
  });
};
