import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { agentResponse, answeredId } from '../agent-messages/answer-messages.js';
import { refuse } from '../agent-messages/field-kinds.js';
import { readHandshakeResponseJson, writeHandshakeResponseJson } from '../agent-messages/handshake-messages.js';
import {
  MalformedMessage,
  payloadText,
  readPayload,
  readPayloadText,
  readSafely,
} from '../agent-messages/json-payload.js';
import {
  configUpdateRequest,
  flowControl,
  metricsReport,
  readHealthJson,
  writeHealthJson,
} from '../agent-messages/report-messages.js';
import type { AnswerCache } from './answer-cache/answer-cache.js';
import type { Frame } from './frame-decoder.js';

/** A message that a gateway receives. */
export type AgentFrameMessage =
  | { readonly kind: 'handshake_response'; readonly response: HandshakeResponse }
  /** An answer with a valid id and a malformed content fails only its call. */
  | { readonly kind: 'answer'; readonly correlationId: string; readonly answer: Result<AgentAnswer, string> }
  | { readonly kind: 'health'; readonly health: AgentHealth }
  | { readonly kind: 'metrics'; readonly report: MetricsReport }
  | { readonly kind: 'config_update'; readonly request: ConfigUpdateRequest }
  | { readonly kind: 'flow_control'; readonly signal: FlowControl }
  /** A malformed report is logged; the connection stays open. */
  | { readonly kind: 'unreadable_report'; readonly problem: string }
  | { readonly kind: 'pong' };

const readReport = (readIt: () => AgentFrameMessage): AgentFrameMessage => {
  const message = readSafely(readIt);
  return message.ok ? message.value : { kind: 'unreadable_report', problem: message.error };
};

const readAnswer = (payload: Uint8Array, known: AnswerCache | null): AgentFrameMessage => {
  const recalled = known?.find(payload) ?? null;
  if (recalled !== null) return { kind: 'answer', correlationId: recalled.correlationId, answer: recalled.answer };
  const text = payloadText(payload);
  const object = readPayloadText(payload, text);
  const correlationId = answeredId(object) ?? refuse('correlation_id', 'string');
  const answer = readSafely(() => agentResponse.fromJson(object));
  if (answer.ok) known?.store(payload, text, correlationId, answer.value);
  return { kind: 'answer', correlationId, answer };
};

const read = ({ name, payload }: Frame, known: AnswerCache | null): AgentFrameMessage => {
  // A pong echoes the ping; its payload is ignored.
  if (name === 'pong') return { kind: 'pong' };
  if (name === 'agent_response') return readAnswer(payload, known);
  const object = readPayload(payload);
  switch (name) {
    case 'handshake_response':
      return { kind: name, response: readHandshakeResponseJson(object) };
    case 'health_status':
      return readReport(() => ({ kind: 'health', health: readHealthJson(object) }));
    case 'metrics_report':
      return readReport(() => ({ kind: 'metrics', report: metricsReport.fromJson(object) }));
    case 'config_update_request':
      return readReport(() => ({ kind: 'config_update', request: configUpdateRequest.fromJson(object) }));
    case 'flow_control':
      return readReport(() => ({ kind: 'flow_control', signal: flowControl.fromJson(object) }));
    default:
      // The gateway's frame decoder refuses other names.
      throw new MalformedMessage('it is not a message to a gateway');
  }
};

/**
 * Reads a frame from an agent. The error quotes none of it.
 *
 * @param known cache of the agent's answers; null: every answer is parsed
 */
export const readAgentFrame = (frame: Frame, known: AnswerCache | null = null): Result<AgentFrameMessage, string> => {
  const message = readSafely(() => read(frame, known));
  return message.ok ? message : err(`${frame.name} is malformed: ${message.error}`);
};

/** @param refusedBy the agent's identity in a refusal */
export const handshakeResponseJson = (response: HandshakeResponse, refusedBy: AgentCapabilities): string =>
  JSON.stringify(writeHandshakeResponseJson(response, refusedBy));

export const healthJson = (health: AgentHealth): string => JSON.stringify(writeHealthJson(health));

export const metricsJson = (report: MetricsReport): string => JSON.stringify(metricsReport.toJson(report));
