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
import type { MessageLook } from './message-shape.js';

/** What a gateway reads from ProcessStream. */
export type GrpcAgentMessage =
  /** Not read yet: what the metadata says belongs to it. */
  | { readonly kind: 'handshake'; readonly response: GrpcHandshakeResponse }
  /** An answer that says which call it is for, but not what it means, fails that call alone. */
  | { readonly kind: 'answer'; readonly correlationId: string; readonly answer: Result<AgentAnswer, string> }
  | { readonly kind: 'health'; readonly health: AgentHealth }
  | { readonly kind: 'metrics'; readonly report: MetricsReport }
  | { readonly kind: 'flow_control'; readonly signal: FlowControl }
  | { readonly kind: 'config_update'; readonly request: ConfigUpdateRequest }
  | { readonly kind: 'log'; readonly line: AgentLogLine }
  | { readonly kind: 'pong' }
  /** One that is no answer, and that nothing depends on. */
  | { readonly kind: 'unreadable_report'; readonly problem: string };

const noText = 'it holds text that is no UTF-8';
/** What a decoder puts for octets that are no UTF-8. */
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
  if (!isText && correlationId.includes(replacement)) return err(noText);
  const answer = isText ? readSafely(() => agentResponse.fromGrpc(response)) : err(noText);
  return ok({ kind: 'answer', correlationId, answer });
};

const names = Object.values(agentToProxy).map(({ grpc }) => grpc);

/**
 * The error says why the connection cannot be believed any more: which call is meant is not known.
 *
 * @param look what its octets are like
 */
export const readGrpcAgentMessage = (
  message: GrpcAgentToProxy,
  { isText }: MessageLook,
): Result<GrpcAgentMessage, string> => {
  const name = onlyMember(message, names);
  if (name === null) return err('a message of no known kind');
  if (name === 'response') return readAnswer(message.response ?? {}, isText);
  if (name === 'handshake') return isText ? ok({ kind: name, response: message.handshake ?? {} }) : err(noText);
  const report = isText ? readSafely(() => readReport(name, message)) : err(noText);
  return ok(report.ok ? report.value : { kind: 'unreadable_report', problem: `${name}: ${report.error}` });
};

/** @param ownedHeaders what the metadata before the first message says */
export const readHandshake = (
  response: GrpcHandshakeResponse,
  ownedHeaders: readonly string[],
): Result<HandshakeResponse, string> => readSafely(() => readGrpcHandshakeResponse(response, ownedHeaders));

/** INVARIANT: the answer changes no body; the change would be lost. */
export const agentResponseMessage = (answer: AgentAnswer, correlationId: string): GrpcAgentToProxy => ({
  response: agentResponse.toGrpc(answer, { correlationId }),
});

/**
 * @param refusedBy what the agent calls itself in an answer that refuses
 * @param healthIntervalMs between two of its health reports
 */
export const handshakeMessage = (
  response: HandshakeResponse,
  refusedBy: AgentCapabilities,
  healthIntervalMs: number,
): GrpcAgentToProxy => ({ handshake: writeGrpcHandshakeResponse(response, refusedBy, healthIntervalMs) });

export const healthMessage = (health: AgentHealth): GrpcAgentToProxy => ({ health: writeGrpcHealth(health) });

export const metricsMessage = (report: MetricsReport): GrpcAgentToProxy => ({ metrics: metricsReport.toGrpc(report) });

/** @param nowMs milliseconds since the Unix epoch, here and below */
export const pongMessage = (sequence: number, pingTimestampMs: number, nowMs: number): GrpcAgentToProxy => ({
  pong: pong.toGrpc({}, { sequence, pingTimestampMs, timestampMs: nowMs }),
});

/** A configuration that the agent refuses; taken ones are not answered. */
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
