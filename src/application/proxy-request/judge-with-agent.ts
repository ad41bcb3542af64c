import { opensDialogue } from '../../domain/agent-protocol/answer-rules.js';
import type { RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import type { HeaderList } from '../../domain/http/header-list.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { BodySource } from '../ports/body-source.js';
import { type Soon, whenThere } from '../ports/soon.js';
import { askAgent } from './ask-agent.js';
import { requestDirection } from './body-direction.js';
import { type InspectedBody, type InspectionFailure, type InspectionParts, inspectBody } from './inspect-body.js';
import type { RequestTrace } from './request-trace.js';
import type { RouteAgent } from './route-agent.js';

/** A request as an agent gets to see it. */
export interface JudgedRequest {
  readonly event: RequestHeadersEvent;
  readonly headers: HeaderList;
  readonly body: BodySource | null;
  /** Null while tracing is off. */
  readonly trace: RequestTrace | null;
}

/**
 * Asks one agent about a request, and sends it the body for as long as it wants more. The request is held meanwhile:
 * no octet of it goes on before the agent has decided.
 */
export const judgeWithAgent = (
  agent: RouteAgent,
  { event, headers, body, trace }: JudgedRequest,
  parts: InspectionParts,
): Soon<Result<InspectedBody, InspectionFailure>> =>
  whenThere(askAgent(agent, event, parts.clock, trace), (first): Soon<Result<InspectedBody, InspectionFailure>> => {
    if (!first.ok) return err({ kind: 'agent', failure: first.error, body });
    if (!opensDialogue(first.value)) return ok({ answer: first.value, body, isChanged: false, inflation: null });
    const { correlationId } = event;
    const inspection = { agent, correlationId, first: first.value, headers, body, isPart: false, trace };
    return inspectBody({ ...inspection, direction: requestDirection }, parts);
  });
