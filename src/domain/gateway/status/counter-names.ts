/** Counters that a supervisor keeps for all of its workers. The names never change. */
export const supervisedCounters = {
  reloads: 'gateway_config_reloads_total',
  restarts: 'gateway_worker_restarts_total',
  agentSeriesDropped: 'gateway_agent_metrics_dropped_total',
} as const;

/** The supervisor's own are added to those of its workers. */
export const auditRecordsDropped = 'gateway_audit_dropped_total';
