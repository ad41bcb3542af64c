import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { agentResponse } from '../agent-messages/answer-messages.js';
import {
  drainRequest,
  maintenance,
  pong,
  shutdownReasons,
  shutdownRequest,
} from '../agent-messages/control-messages.js';
import {
  type GrpcHandshakeResponse,
  readGrpcHandshakeResponse,
  writeGrpcHandshakeResponse,
} from '../agent-messages/handshake-messages.js';
import { readSafely } from '../agent-messages/json-payload.js';
import { onlyMember } from '../agent-messages/message-table.js';
import {
  configUpdateRequest,
  flowControl,
  logMessage,
  metricsReport,
  readGrpcHealth,
  writeGrpcHealth,
} from '../agent-messages/report-messages.js';
import { agentToProxy, type GrpcAgentToProxy, type GrpcProxyControl } from './grpc-messages.js';
import type { MessageCheck } from './message-shape.js';

/** A message that a gateway receives on ProcessStream. */
export type GrpcAgentMessage =
  /** Not decoded yet: the decoder also needs the metadata. */
  | { readonly kind: 'handshake'; readonly response: GrpcHandshakeResponse }
  /** An answer with a valid id and a malformed content fails only its call. */
  | { readonly kind: 'answer'; readonly correlationId: string; readonly answer: Result<AgentAnswer, string> }
  | { readonly kind: 'health'; readonly health: AgentHealth }
  | { readonly kind: 'metrics'; readonly report: MetricsReport }
  | { readonly kind: 'flow_control'; readonly signal: FlowControl }
  | { readonly kind: 'config_update'; readonly request: ConfigUpdateRequest }
  | { readonly kind: 'log'; readonly line: AgentLogLine }
  | { readonly kind: 'pong' }
  /** A malformed report, which no call depends on. */
  | { readonly kind: 'unreadable_report'; readonly problem: string };

const invalidText = 'it holds invalid UTF-8';
/** Replacement of decoders for invalid UTF-8. */
const replacement = '\ufffd';

type ReportName = Exclude<keyof GrpcAgentToProxy, 'handshake' | 'response'>;

const readReport = (name: ReportName, message: GrpcAgentToProxy): GrpcAgentMessage => {
  switch (name) {
    case 'health':
      return { kind: name, health: readGrpcHealth(message.health ?? {}) };
    case 'metrics':
      return { kind: name, report: metricsReport.fromGrpc(message.metrics) };
    case 'config_update':
      return { kind: name, request: configUpdateRequest.fromGrpc(message.config_update) };
    case 'flow_control':
      return { kind: name, signal: flowControl.fromGrpc(message.flow_control) };
    case 'log':
      return { kind: name, line: logMessage.fromGrpc(message.log) };
    case 'pong':
      return { kind: name };
  }
};

const readAnswer = (
  response: NonNullable<GrpcAgentToProxy['response']>,
  isText: boolean,
): Result<GrpcAgentMessage, string> => {
  const correlationId = response.correlation_id ?? '';
  if (correlationId === '') return err('an answer without a correlation id');
  if (!isText && correlationId.includes(replacement)) return err(invalidText);
  const answer = isText ? readSafely(() => agentResponse.fromGrpc(response)) : err(invalidText);
  return ok({ kind: 'answer', correlationId, answer });
};

const names = Object.values(agentToProxy).map(({ grpc }) => grpc);

/**
 * Decodes a message. An error invalidates the connection, because the affected call is unknown.
 *
 * @param look the check of its octets
 */
export const readGrpcAgentMessage = (
  message: GrpcAgentToProxy,
  { isText }: MessageCheck,
): Result<GrpcAgentMessage, string> => {
  const name = onlyMember(message, names);
  if (name === null) return err('a message of no known kind');
  if (name === 'response') return readAnswer(message.response ?? {}, isText);
  if (name === 'handshake') return isText ? ok({ kind: name, response: message.handshake ?? {} }) : err(invalidText);
  const report = isText ? readSafely(() => readReport(name, message)) : err(invalidText);
  return ok(report.ok ? report.value : { kind: 'unreadable_report', problem: `${name}: ${report.error}` });
};

/** @param ownedHeaders from the metadata before the first message */
export const readHandshake = (
  response: GrpcHandshakeResponse,
  ownedHeaders: readonly string[],
): Result<HandshakeResponse, string> => readSafely(() => readGrpcHandshakeResponse(response, ownedHeaders));

/** INVARIANT: the answer changes no body; the change would be lost. */
export const agentResponseMessage = (answer: AgentAnswer, correlationId: string): GrpcAgentToProxy => ({
  response: agentResponse.toGrpc(answer, { correlationId }),
});

/**
 * @param refusedBy the agent's identity in a refusal
 * @param healthIntervalMs interval of its health reports
 */
export const handshakeMessage = (
  response: HandshakeResponse,
  refusedBy: AgentCapabilities,
  healthIntervalMs: number,
): GrpcAgentToProxy => ({ handshake: writeGrpcHandshakeResponse(response, refusedBy, healthIntervalMs) });

export const healthMessage = (health: AgentHealth): GrpcAgentToProxy => ({ health: writeGrpcHealth(health) });

export const metricsMessage = (report: MetricsReport): GrpcAgentToProxy => ({ metrics: metricsReport.toGrpc(report) });

/** @param nowMs milliseconds since the Unix epoch, here and in the functions after this one */
export const pongMessage = (sequence: number, pingTimestampMs: number, nowMs: number): GrpcAgentToProxy => ({
  pong: pong.toGrpc({}, { sequence, pingTimestampMs, timestampMs: nowMs }),
});

/** Reports a refused configuration; accepted ones are not answered. */
export const configErrorMessage = (requestId: string, error: string, nowMs: number): GrpcAgentToProxy => ({
  config_update: configUpdateRequest.toGrpc(
    { requestId, update: { kind: 'config_error', error, field: null } },
    { timestampMs: nowMs },
  ),
});

export const drainMessage = (graceMs: number, nowMs: number): GrpcProxyControl => ({
  drain: drainRequest.toGrpc({}, { durationMs: graceMs, reason: maintenance, timestampMs: nowMs }),
});

export const shutdownMessage = (reason: keyof typeof shutdownReasons, nowMs: number): GrpcProxyControl => ({
  shutdown: shutdownRequest.toGrpc({}, { reason: shutdownReasons[reason], gracePeriodMs: 0, timestampMs: nowMs }),
});
