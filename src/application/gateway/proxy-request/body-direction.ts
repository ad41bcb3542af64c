import type {
  AgentAnswer,
  BodyChunkEvent,
  BodyMutation,
  CancelReason,
} from '../../../domain/agent-protocol/messages.js';

/** A piece of a body as an agent is shown it. */
export interface BodyPiece {
  readonly data: Uint8Array;
  readonly isLast: boolean;
  /** Octets of the whole body where it is known. */
  readonly totalSize: number | null;
  /** Counts from 0. */
  readonly chunkIndex: number;
  /** Octets so far, this piece included. */
  readonly octets: number;
}

/** What is different about the body of a request and that of a response. */
export interface BodyDirection {
  readonly event: BodyChunkEvent['kind'];
  chunkOf(correlationId: string, piece: BodyPiece): BodyChunkEvent;
  mutationOf(answer: AgentAnswer): BodyMutation | null;
  /** The fields behind the body go on with it. */
  readonly keepsTrailers: boolean;
  /** What an agent is told where the body cannot be read to its end. */
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
