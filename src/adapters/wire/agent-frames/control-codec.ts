import { type CancelReason, cancelReasons } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject, JsonValue } from '../../../domain/shared/json.js';
import { readCount, readText } from './json-fields.js';

/** A Configure message: the agent answers it with an allow or a block. */
export interface Configure {
  /** Empty where the gateway gave none. */
  readonly correlationId: string;
  readonly config: JsonValue;
  /** The same on every connection that hands over one change; null where the gateway gave none. */
  readonly version: string | null;
}

/** A Cancel message. */
export interface Cancel {
  readonly correlationId: string;
  readonly reason: CancelReason;
}

export const configureJson = ({ correlationId, config, version }: Configure): string =>
  JSON.stringify({ correlation_id: correlationId, config, config_version: version });

export const readConfigure = (object: JsonObject): Configure => {
  const correlationId = object['correlation_id'];
  const version = object['config_version'];
  return {
    correlationId: typeof correlationId === 'string' ? correlationId : '',
    config: object['config'] ?? null,
    version: typeof version === 'string' ? version : null,
  };
};

export const cancelJson = ({ correlationId, reason }: Cancel, nowMs: number): string =>
  JSON.stringify({ correlation_id: correlationId, reason: cancelReasons.indexOf(reason), timestamp_ms: nowMs });

export const readCancel = (object: JsonObject): Cancel => ({
  correlationId: readText(object, 'correlation_id'),
  // A reason of a later version still means that the request is of no more interest.
  reason: cancelReasons[readCount(object, 'reason')] ?? 'manual',
});

export const pingJson = (sequence: number, nowMs: number): string => JSON.stringify({ sequence, timestamp_ms: nowMs });
