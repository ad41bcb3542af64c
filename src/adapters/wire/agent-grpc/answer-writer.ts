import type { AgentAnswer, AgentDecision, HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import type { GrpcAgentResponse, GrpcHeaderOp } from './grpc-messages.js';
import { writeHeaderFields } from './header-fields.js';

type DecisionMessage = Pick<GrpcAgentResponse, 'allow' | 'block' | 'redirect' | 'challenge'>;

const decisionMessage = (decision: AgentDecision): DecisionMessage => {
  switch (decision.kind) {
    case 'allow':
      return { allow: {} };
    case 'block':
      return {
        block: { status: decision.status, body: decision.body, headers: writeHeaderFields(decision.headers) },
      };
    case 'redirect':
      return { redirect: { url: decision.url, status: decision.status } };
    case 'challenge':
      return { challenge: { challenge_type: decision.challengeType, params: decision.params } };
  }
};

const operationMessage = (operation: HeaderOperation): GrpcHeaderOp => {
  const { name } = operation;
  switch (operation.kind) {
    case 'set':
      return { set: { name, value: operation.value } };
    case 'add':
      return { add: { name, value: operation.value } };
    case 'remove':
      return { remove: name };
  }
};

/** Whether an answer changes a body, which no AgentResponse can say. */
export const changesBody = ({ requestBodyMutation, responseBodyMutation }: AgentAnswer): boolean =>
  (requestBodyMutation?.data ?? null) !== null || (responseBodyMutation?.data ?? null) !== null;

/** INVARIANT: the answer changes no body; it would be lost. */
export const agentResponseMessage = (answer: AgentAnswer, correlationId: string): GrpcAgentResponse => {
  const { audit } = answer;
  return {
    correlation_id: correlationId,
    ...decisionMessage(answer.decision),
    request_headers: answer.requestHeaders.map(operationMessage),
    response_headers: answer.responseHeaders.map(operationMessage),
    audit: {
      tags: audit.tags,
      rule_ids: audit.ruleIds,
      confidence: audit.confidence,
      reason_codes: audit.reasonCodes,
      custom: audit.custom,
    },
    needs_more: answer.needsMore,
  };
};
