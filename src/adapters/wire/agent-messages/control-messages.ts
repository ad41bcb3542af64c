import { type CancelReason, cancelReasons } from '../../../domain/agent-protocol/messages.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import { correlationId } from './event-messages.js';
import { count, type FieldKind, filledText, flag, number, optionalKind, textKind } from './field-kinds.js';
import { configuration } from './handshake-messages.js';
import { type Describes, field, grpcField, message, socketField, timestamp } from './message-table.js';

// Messages about a connection or a whole call.

/**
 * A configuration. The agent answers with an allow or a block on the socket, and over gRPC only a
 * refusal, with an update request.
 */
export interface Configure {
  /** Empty if the gateway sent none. */
  readonly correlationId: string;
  readonly config: JsonValue;
  /** Equal on all connections for one change; null if the gateway sent none. */
  readonly version: string | null;
}

/** The gateway no longer needs the answer to a call. */
export interface Cancel {
  readonly correlationId: string;
  readonly reason: CancelReason;
}

export const configure = message(
  {
    correlationId: socketField(
      { ...textKind, fromJson: (value) => (typeof value === 'string' ? value : '') },
      'correlation_id',
    ),
    config: field(configuration, 'config_json', 1, 'config'),
    version: field(
      { ...filledText, fromJson: (value) => (typeof value === 'string' ? value : null) },
      'config_version',
      2,
    ),
  },
  { isInitial: grpcField(flag, 'is_initial', 3), ...timestamp(4) },
) satisfies Describes<Configure>;

/** Starts at 0 on the socket, at 1 on gRPC. Unknown reasons also cancel the call. */
const cancelReason: FieldKind<CancelReason, number> = {
  shape: 'small',
  fromJson: (value, name) => cancelReasons[count('small').fromJson(value, name)] ?? 'manual',
  toJson: (reason) => cancelReasons.indexOf(reason),
  fromGrpc: (value) => cancelReasons[(value ?? 0) - 1] ?? 'manual',
  toGrpc: (reason) => cancelReasons.indexOf(reason) + 1,
};

export const cancel = message(
  { correlationId: field(correlationId, 'correlation_id', 1), reason: field(cancelReason, 'reason', 2) },
  {
    ...timestamp(3),
    blockingAgentId: grpcField(optionalKind(textKind), 'blocking_agent_id', 4),
    manualReason: grpcField(optionalKind(textKind), 'manual_reason', 5),
  },
) satisfies Describes<Cancel>;

/** On the socket it is echoed unread. */
export const ping = message({
  sequence: field(count('large'), 'sequence', 1),
  timestampMs: field(count('large'), 'timestamp_ms', 2),
});

export const pong = message(
  {},
  {
    sequence: grpcField(number('large'), 'sequence', 1),
    pingTimestampMs: grpcField(number('large'), 'ping_timestamp_ms', 2),
    ...timestamp(3),
  },
);

// Shutdown of a service and answers to update requests, which only gRPC has.

/** Reasons for a shutdown. */
export const shutdownReasons = { graceful: 1, immediate: 2 } as const;
/** Reason of a drain. */
export const maintenance = 2;

export const shutdownRequest = message(
  {},
  {
    reason: grpcField(number('small'), 'reason', 1),
    gracePeriodMs: grpcField(number('large'), 'grace_period_ms', 2),
    ...timestamp(3),
  },
);

export const drainRequest = message(
  {},
  {
    durationMs: grpcField(number('large'), 'duration_ms', 1),
    reason: grpcField(number('small'), 'reason', 2),
    ...timestamp(3),
  },
);

export const configUpdateResponse = message(
  {},
  {
    requestId: grpcField(textKind, 'request_id', 1),
    accepted: grpcField(flag, 'accepted', 2),
    error: grpcField(optionalKind(textKind), 'error', 3),
    ...timestamp(4),
  },
);
