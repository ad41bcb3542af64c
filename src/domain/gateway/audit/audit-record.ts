import type { AgentAuditEvent, AgentAuditOutcome } from '../../agent-protocol/audit-remarks.js';

/** What becomes of the gateway as a whole. */
export type GatewayEvent = 'configuration' | 'gateway' | 'audit';

/**
 * What an audit record tells of: what agents have decided, what was asked of the gateway by its admin address, and
 * what became of it.
 */
export type AuditEvent = AgentAuditEvent | 'admin' | GatewayEvent;

export type AuditOutcome =
  | AgentAuditOutcome
  | 'allowed'
  | 'denied'
  | 'redirected'
  | 'challenged'
  | 'carried_out'
  | 'loaded'
  | 'started'
  | 'draining'
  | 'stopped'
  | 'upgraded'
  | 'ended';

export type AuditValue = string | number | boolean | null | readonly string[];

/** One entry of the audit log. */
export interface AuditRecord {
  readonly event: AuditEvent;
  readonly outcome: AuditOutcome;
  /** By name; texts of any length: they are bounded where the line is made. */
  readonly members: Readonly<Record<string, AuditValue>>;
}
