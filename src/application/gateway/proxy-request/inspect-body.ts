import { foldAnswers } from '../../../domain/agent-protocol/answer-folding.js';
import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import { headerOperationsFault } from '../../../domain/agent-protocol/header-operations.js';
import type {
  AgentAnswer,
  BodyChunkEvent,
  BodyMutation,
  CancelReason,
} from '../../../domain/agent-protocol/messages.js';
import { contentCodingsOf, withoutContentEncoding } from '../../../domain/http/content-codings.js';
import { type HeaderList, withHeader, withoutHeader } from '../../../domain/http/header-list.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { AgentFailure } from '../../ports/gateway/agent-client.js';
import type { BodyInflater } from '../../ports/gateway/body-inflater.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { RequestTrace } from '../trace/request-tracing.js';
import {
  type BodyAfterwards,
  type BodyInspectionFault,
  ChunkedInspection,
  type InspectedChunk,
} from './chunked-inspection.js';
import { type InspectionLimits, inspectionCut } from './inspection-limits.js';
import { askAgent, type RouteAgent } from './route-agent.js';

/** The differences between request bodies and response bodies. */
interface BodyDirection {
  readonly event: BodyChunkEvent['kind'];
  chunkOf(correlationId: string, piece: InspectedChunk): BodyChunkEvent;
  mutationOf(answer: AgentAnswer): BodyMutation | null;
  /** Whether trailers are forwarded with the body. */
  readonly keepsTrailers: boolean;
  /** The cancel reason if the body cannot be read completely. */
  readonly unreadable: CancelReason;
}

export const requestDirection: BodyDirection = {
  event: 'request_body_chunk',
  chunkOf: (correlationId, { octets, ...piece }) => ({
    kind: 'request_body_chunk',
    correlationId,
    ...piece,
    bytesReceived: octets,
  }),
  mutationOf: ({ requestBodyMutation }) => requestBodyMutation,
  keepsTrailers: false,
  unreadable: 'client_disconnect',
};

export const responseDirection: BodyDirection = {
  event: 'response_body_chunk',
  chunkOf: (correlationId, { octets, ...piece }) => ({
    kind: 'response_body_chunk',
    correlationId,
    ...piece,
    bytesSent: octets,
  }),
  mutationOf: ({ responseBodyMutation }) => responseBodyMutation,
  keepsTrailers: true,
  unreadable: 'upstream_error',
};

/** A body that an agent inspects before it decides. */
export interface BodyInspection {
  readonly agent: RouteAgent;
  readonly correlationId: string;
  /** The answer to the head, which asked for the body. */
  readonly first: AgentAnswer;
  /** The current fields of the message. Their Content-Encoding applies to `body`. */
  readonly headers: HeaderList;
  /** Null: the message has no body. */
  readonly body: BodySource | null;
  /** The body is a range of a representation (RFC 9110, section 14), which was encoded as a whole. */
  readonly isPart: boolean;
  readonly direction: BodyDirection;
  /** Null while tracing is off. */
  readonly trace: RequestTrace | null;
}

export interface InspectionEnvironment {
  readonly inflater: BodyInflater;
  readonly limits: InspectionLimits;
  readonly clock: Clock;
}

/** The decision of the agent, and the whole body as the agent leaves it. */
export interface InspectedBody extends BodyAfterwards {
  /** All answers of the agent, folded into one. */
  readonly answer: AgentAnswer;
}

/** The reason why there is no decision. The dialogue with the agent is over. */
export type InspectionFailure =
  /** The failure mode of the agent applies. `body` is the whole original body. */
  | { readonly kind: 'agent'; readonly failure: AgentFailure; readonly body: BodySource | null }
  | BodyInspectionFault
  /** The gateway cannot decode its Content-Encoding. */
  | { readonly kind: 'unsupported_encoding'; readonly detail: string };

/**
 * Sends an agent the decoded body, chunk by chunk, while the agent asks for more. The last chunk is always sent; it is
 * empty if there is no body. Nothing is forwarded meanwhile. To stop, cancel both the call and the body.
 */
export const inspectBody = async (
  inspection: BodyInspection,
  environment: InspectionEnvironment,
): Promise<Result<InspectedBody, InspectionFailure>> => {
  const { agent, correlationId, body, direction } = inspection;
  if (!takesBody(agent, direction.event)) {
    agent.client.cancel(correlationId, 'manual');
    const detail = `it asks for the body, but its events do not include ${direction.event}`;
    return err({ kind: 'agent', failure: { code: 'malformed_answer', detail }, body });
  }
  const inspected = await inspect(inspection, environment);
  if (!inspected.ok && inspected.error.kind !== 'agent') {
    agent.client.cancel(correlationId, inspected.error.kind === 'unreadable' ? direction.unreadable : 'manual');
  }
  return inspected;
};

/** The fields of a message after inspection: Content-Length and Content-Encoding match a changed body. */
export const headersOfInspected = (headers: HeaderList, { body, isChanged }: BodyAfterwards): HeaderList => {
  if (!isChanged) return headers;
  const plain = withoutContentEncoding(headers);
  const length = body === null ? 0 : body.declaredLength;
  return length === null ? withoutHeader(plain, 'content-length') : withHeader(plain, 'Content-Length', `${length}`);
};

/** Whether an agent inspects bodies: its block subscribes to them, and the agent supports them. */
const takesBody = ({ client, events }: RouteAgent, event: BodyDirection['event']): boolean =>
  events.has(event) && (client.capabilities()?.supportedEvents.includes(event) ?? true);

/** A failure if the operations of a dialogue are too many in total. */
const operationsFailure = ({ requestHeaders, responseHeaders }: AgentAnswer): AgentFailure | null => {
  const detail = headerOperationsFault(requestHeaders) ?? headerOperationsFault(responseHeaders);
  return detail === null ? null : { code: 'malformed_answer', detail };
};

const inspect = async (
  { agent, correlationId, first, headers, body, isPart, direction, trace }: BodyInspection,
  { inflater, limits, clock }: InspectionEnvironment,
): Promise<Result<InspectedBody, InspectionFailure>> => {
  const { client } = agent;
  const codings = body === null ? [] : contentCodingsOf(headers);
  if (codings === null) return err({ kind: 'unsupported_encoding', detail: 'the content coding is not supported' });
  if (isPart && codings.length > 0) {
    return err({ kind: 'unsupported_encoding', detail: 'a content coding of a partial response cannot be decoded' });
  }
  const cut = inspectionCut(limits, client.name, client.capabilities());
  const presented = new ChunkedInspection(body, codings, cut, { inflater, rules: limits.decompression });
  const fail = (failure: AgentFailure): Result<never, InspectionFailure> =>
    err({ kind: 'agent', failure, body: presented.original() });
  let answer = first;
  for (;;) {
    const piece = await presented.next();
    if (!piece.ok) return piece;
    const outcome = await askAgent(agent, direction.chunkOf(correlationId, piece.value), clock, trace);
    // INVARIANT: an answer mutates the chunk that was asked about, or none.
    const kept = presented.keep(outcome.ok ? (direction.mutationOf(outcome.value)?.data ?? null) : null);
    if (!outcome.ok) {
      // The agent may still wait for a chunk that was never sent. `cancelled`: the agent knows already.
      if (outcome.error.code !== 'cancelled') client.cancel(correlationId, 'manual');
      return fail(outcome.error);
    }
    answer = foldAnswers(answer, outcome.value);
    const failure = kept.ok ? operationsFailure(answer) : kept.error;
    if (failure !== null) {
      client.cancel(correlationId, 'manual');
      return fail(failure);
    }
    if (!opensDialogue(outcome.value)) return ok({ answer, ...presented.afterwards(direction.keepsTrailers) });
  }
};
