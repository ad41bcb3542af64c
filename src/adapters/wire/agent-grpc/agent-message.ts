import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { readResponse } from './answer-reader.js';
import type { GrpcHandshakeResponse } from './grpc-messages.js';
import type { GrpcAgentToProxy } from './grpc-reports.js';
import { readHealth } from './health-reader.js';
import type { MessageLook } from './message-shape.js';
import { onlyMember } from './one-member.js';
import { readConfigUpdate, readFlowControl, readLogLine, readMetrics } from './report-reader.js';

/** What a gateway reads from ProcessStream. */
export type AgentMessage =
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

const names = ['handshake', 'response', 'health', 'metrics', 'config_update', 'flow_control', 'pong', 'log'] as const;

const unreadable = (name: string, problem: string): AgentMessage => ({
  kind: 'unreadable_report',
  problem: `${name}: ${problem}`,
});

const reported = <Value>(
  name: string,
  value: Result<Value, string>,
  message: (value: Value) => AgentMessage,
): Result<AgentMessage, string> => ok(value.ok ? message(value.value) : unreadable(name, value.error));

const noText = 'it holds text that is no UTF-8';
/** What a decoder puts for octets that are no UTF-8. */
const replacement = '\ufffd';

/**
 * The error says why the connection cannot be believed any more: which call is meant is not known.
 *
 * @param look what its octets are like
 */
export const readAgentMessage = (message: GrpcAgentToProxy, { isText }: MessageLook): Result<AgentMessage, string> => {
  const name = onlyMember(message, names);
  if (!isText && name !== null && name !== 'response' && name !== 'handshake') {
    return ok(unreadable(name, noText));
  }
  switch (name) {
    case 'handshake':
      if (!isText) return err(noText);
      return ok({ kind: 'handshake', response: message.handshake ?? {} });
    case 'response': {
      const response = message.response ?? {};
      const correlationId = response.correlation_id ?? '';
      if (correlationId === '') return err('an answer without a correlation id');
      if (!isText && correlationId.includes(replacement)) return err(noText);
      return ok({ kind: 'answer', correlationId, answer: isText ? readResponse(response) : err(noText) });
    }
    case 'health':
      return reported('health', readHealth(message.health ?? {}), (health) => ({ kind: 'health', health }));
    case 'metrics':
      return ok({ kind: 'metrics', report: readMetrics(message.metrics ?? {}) });
    case 'config_update':
      return reported('config_update', readConfigUpdate(message.config_update ?? {}), (request) => ({
        kind: 'config_update',
        request,
      }));
    case 'flow_control':
      return reported('flow_control', readFlowControl(message.flow_control ?? {}), (signal) => ({
        kind: 'flow_control',
        signal,
      }));
    case 'log':
      return ok({ kind: 'log', line: readLogLine(message.log ?? {}) });
    case 'pong':
      return ok({ kind: 'pong' });
    case null:
      return err('a message of no known kind');
  }
};
