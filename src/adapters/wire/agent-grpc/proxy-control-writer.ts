import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import { type CancelReason, cancelReasons } from '../../../domain/agent-protocol/messages.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import type { GrpcProxyToAgent } from './grpc-messages.js';

export const writeHandshakeRequest = (request: HandshakeRequest): GrpcProxyToAgent => ({
  handshake: {
    supported_versions: request.supportedVersions,
    proxy_id: request.proxyId,
    proxy_version: request.proxyVersion,
    config_json: JSON.stringify(request.config),
  },
});

/** `nowMs` here and below: milliseconds since the Unix epoch. */
export const writeConfigure = (config: JsonValue, version: string, nowMs: number): GrpcProxyToAgent => ({
  // No configuration is `null`: an empty text would be a sign of life.
  configure: { config_json: JSON.stringify(config), config_version: version, is_initial: false, timestamp_ms: nowMs },
});

export const writeCancel = (correlationId: string, reason: CancelReason, nowMs: number): GrpcProxyToAgent => ({
  cancel: { correlation_id: correlationId, reason: cancelReasons.indexOf(reason) + 1, timestamp_ms: nowMs },
});

export const writePing = (sequence: number, nowMs: number): GrpcProxyToAgent => ({
  ping: { sequence, timestamp_ms: nowMs },
});
