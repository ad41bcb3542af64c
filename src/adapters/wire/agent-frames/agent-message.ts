import type { ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { readAnswer, readAnsweredId } from './answer-codec.js';
import { readConfigUpdate } from './config-update-codec.js';
import { readFlowControl } from './flow-control-codec.js';
import type { Frame } from './frame.js';
import { readHandshakeResponse } from './handshake-codec.js';
import { readHealth } from './health-codec.js';
import type { KnownAnswers } from './known-answers.js';
import { MalformedMessage } from './malformed-message.js';
import { readMetrics } from './metrics-codec.js';
import { payloadText, readPayload, readPayloadText } from './payload-json.js';

/** What a gateway reads. */
export type AgentMessage =
  | { readonly kind: 'handshake_response'; readonly response: HandshakeResponse }
  /** An answer that says which call it is for, but not what it means, fails that call alone. */
  | { readonly kind: 'answer'; readonly correlationId: string; readonly answer: Result<AgentAnswer, string> }
  | { readonly kind: 'health'; readonly health: AgentHealth }
  | { readonly kind: 'metrics'; readonly report: MetricsReport }
  | { readonly kind: 'config_update'; readonly request: ConfigUpdateRequest }
  | { readonly kind: 'flow_control'; readonly signal: FlowControl }
  /** A report in a form of its own: worth a line in the log, not the connection. */
  | { readonly kind: 'unreadable_report'; readonly problem: string }
  | { readonly kind: 'pong' };

const attempt = <Value>(read: () => Value): Result<Value, string> => {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof MalformedMessage) return err(error.message);
    throw error;
  }
};

const readReport = (readIt: () => AgentMessage): AgentMessage => {
  const message = attempt(readIt);
  return message.ok ? message.value : { kind: 'unreadable_report', problem: message.error };
};

const readAnswerMessage = (payload: Uint8Array, known: KnownAnswers | null): AgentMessage => {
  const recalled = known?.recall(payload) ?? null;
  if (recalled !== null) return { kind: 'answer', correlationId: recalled.correlationId, answer: recalled.answer };
  const text = payloadText(payload);
  const object = readPayloadText(payload, text);
  const correlationId = readAnsweredId(object);
  const answer = attempt(() => readAnswer(object));
  if (answer.ok) known?.note(payload, text, correlationId, answer.value);
  return { kind: 'answer', correlationId, answer };
};

const read = ({ name, payload }: Frame, known: KnownAnswers | null): AgentMessage => {
  // A pong is an echo, whatever was in the ping.
  if (name === 'pong') return { kind: 'pong' };
  if (name === 'agent_response') return readAnswerMessage(payload, known);
  const object = readPayload(payload);
  switch (name) {
    case 'handshake_response':
      return { kind: name, response: readHandshakeResponse(object) };
    case 'health_status':
      return readReport(() => ({ kind: 'health', health: readHealth(object) }));
    case 'metrics_report':
      return readReport(() => ({ kind: 'metrics', report: readMetrics(object) }));
    case 'config_update_request':
      return readReport(() => ({ kind: 'config_update', request: readConfigUpdate(object) }));
    case 'flow_control':
      return readReport(() => ({ kind: 'flow_control', signal: readFlowControl(object) }));
    default:
      // A gateway's frame decoder gives none of the others.
      throw new MalformedMessage('it is not for a gateway');
  }
};

/**
 * Reads a frame that an agent sent. The error says what is wrong with it, and quotes none of it.
 *
 * @param known what the same agent has answered before; null: every answer is read anew
 */
export const readAgentMessage = (frame: Frame, known: KnownAnswers | null = null): Result<AgentMessage, string> => {
  const message = attempt(() => read(frame, known));
  return message.ok ? message : err(`${frame.name} cannot be read: ${message.error}`);
};
