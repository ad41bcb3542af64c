import type { AgentAuditEvent, AgentAuditOutcome } from '../agent-protocol/audit-remarks.js';

/** Events of the whole gateway. */
export type GatewayEvent = 'configuration' | 'gateway' | 'audit';

/** The subject of an audit record: a decision of an agent, an admin request, or an event of the gateway. */
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
  /** By name. Texts may have any length; formatting bounds them. */
  readonly members: Readonly<Record<string, AuditValue>>;
}
