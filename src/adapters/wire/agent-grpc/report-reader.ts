import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { ConfigUpdate, ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import {
  type FlowControl,
  type FlowControlAction,
  flowControlCodes,
} from '../../../domain/agent-protocol/flow-control.js';
import type { MetricsReport, ReportedHistogram, ReportedValue } from '../../../domain/agent-protocol/metrics-report.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type {
  GrpcConfigUpdateRequest,
  GrpcFlowControlSignal,
  GrpcHistogramMetric,
  GrpcLogMessage,
  GrpcMetricsReport,
  GrpcReportedValue,
} from './grpc-reports.js';
import { onlyMember } from './one-member.js';

const readValue = ({ name = '', help = null, labels = {}, value = 0 }: GrpcReportedValue): ReportedValue => ({
  name,
  help,
  labels,
  value,
});

const readHistogram = (histogram: GrpcHistogramMetric): ReportedHistogram => ({
  name: histogram.name ?? '',
  help: histogram.help ?? null,
  labels: histogram.labels ?? {},
  sum: histogram.sum ?? 0,
  count: histogram.count ?? 0,
  buckets: (histogram.buckets ?? []).map(({ le = 0, count = 0 }) => ({ le, count })),
});

export const readMetrics = (report: GrpcMetricsReport): MetricsReport => ({
  agentId: report.agent_id ?? '',
  timestampMs: report.timestamp_ms ?? 0,
  intervalMs: report.interval_ms ?? 0,
  counters: (report.counters ?? []).map(readValue),
  gauges: (report.gauges ?? []).map(readValue),
  histograms: (report.histograms ?? []).map(readHistogram),
});

const flowControlActions = Object.keys(flowControlCodes) as FlowControlAction[];

export const readFlowControl = (signal: GrpcFlowControlSignal): Result<FlowControl, string> => {
  const action = flowControlActions.find((name) => flowControlCodes[name] === signal.action);
  if (action === undefined) return err('"action" is none');
  const correlationId = signal.correlation_id || null;
  return ok({ correlationId, action, bufferAvailable: signal.buffer_available ?? null });
};

const updateNames = ['request_reload', 'rule_update', 'list_update', 'restart_required', 'config_error'] as const;

const readUpdate = (request: GrpcConfigUpdateRequest): ConfigUpdate | null => {
  const kind = onlyMember(request, updateNames);
  switch (kind) {
    case 'request_reload':
    case 'rule_update':
    case 'list_update':
      return { kind };
    case 'restart_required':
      return { kind, reason: request.restart_required?.reason ?? '' };
    case 'config_error':
      return { kind, error: request.config_error?.error ?? '', field: request.config_error?.field ?? null };
    case null:
      return null;
  }
};

export const readConfigUpdate = (request: GrpcConfigUpdateRequest): Result<ConfigUpdateRequest, string> => {
  const update = readUpdate(request);
  return update === null ? err('"update_type" is none') : ok({ requestId: request.request_id ?? '', update });
};

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** What it says matters more than a level that is none. */
export const readLogLine = (line: GrpcLogMessage): AgentLogLine => ({
  level: levels[(line.level ?? 0) - 1] ?? 'info',
  message: line.message ?? '',
  correlationId: line.correlation_id || null,
  fields: line.fields ?? {},
});
