import { foldAnswers } from '../../domain/agent-protocol/answer-folding.js';
import { opensDialogue } from '../../domain/agent-protocol/answer-rules.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { AgentClient, AgentFailure } from '../ports/agent-client.js';
import type { BodySource } from '../ports/body-source.js';
import { PrefixedBody } from './prefixed-body.js';

/** Why an agent's judgement could not be had. */
export type JudgementFailure =
  | AgentFailure
  /** The body is larger than the agent may look at, `limit` octets. */
  | { readonly code: 'body_too_large'; readonly limit: number; readonly detail: string }
  /** The client's body could not be read. */
  | { readonly code: 'request_body'; readonly detail: string };

export interface Judgement {
  /** Every answer to this request, folded into one. */
  readonly answer: AgentAnswer;
  /** What is left for the next reader: the whole body again. */
  readonly body: BodySource | null;
}

/** What an agent may look at. */
export interface InspectionRules {
  /** The agent is subscribed to body chunks. */
  readonly takesBody: boolean;
  readonly maxInspectedOctets: number;
}

/**
 * Asks one agent about a request, and sends it the body for as long as it wants more. The request is held meanwhile:
 * no octet of it goes on before the agent has decided.
 */
export const judgeWithAgent = async (
  agent: AgentClient,
  event: RequestHeadersEvent,
  body: BodySource | null,
  { takesBody, maxInspectedOctets }: InspectionRules,
): Promise<Result<Judgement, JudgementFailure>> => {
  const first = await agent.ask(event);
  if (!first.ok) return first;
  if (!opensDialogue(first.value)) return ok({ answer: first.value, body });
  if (!takesBody) {
    agent.cancel(event.correlationId, 'manual');
    return err({
      code: 'malformed_answer',
      detail: 'it asks for the body, and its events do not hold request_body_chunk',
    });
  }
  const limit = Math.min(maxInspectedOctets, agent.capabilities()?.limits.maxBodySize ?? maxInspectedOctets);
  return sendBody(agent, event.correlationId, first.value, body, limit);
};

const tooLarge = (limit: number): Result<never, JudgementFailure> =>
  err({ code: 'body_too_large', limit, detail: `the body is larger than the ${limit} octets that agents look at` });

const sendBody = async (
  agent: AgentClient,
  correlationId: string,
  first: AgentAnswer,
  body: BodySource | null,
  limit: number,
): Promise<Result<Judgement, JudgementFailure>> => {
  const totalSize = body === null ? 0 : body.declaredLength;
  if (totalSize !== null && totalSize > limit) return tooLarge(limit);
  const held: Uint8Array[] = [];
  let octets = 0;
  let folded = first;
  for (let chunkIndex = 0; ; chunkIndex += 1) {
    let piece: Uint8Array | null;
    try {
      piece = body === null ? null : await body.read();
    } catch (error) {
      return err({ code: 'request_body', detail: error instanceof Error ? error.message : 'unreadable' });
    }
    octets += piece?.length ?? 0;
    if (octets > limit) return tooLarge(limit);
    if (piece !== null) held.push(piece);
    const isLast = piece === null || octets === totalSize;
    const data = piece ?? new Uint8Array(0);
    const outcome = await agent.ask({
      kind: 'request_body_chunk',
      correlationId,
      data,
      isLast,
      totalSize,
      chunkIndex,
      bytesReceived: octets,
    });
    if (!outcome.ok) return outcome;
    folded = foldAnswers(folded, outcome.value);
    if (!opensDialogue(outcome.value)) {
      return ok({ answer: folded, body: body === null ? null : new PrefixedBody(held, body) });
    }
  }
};
