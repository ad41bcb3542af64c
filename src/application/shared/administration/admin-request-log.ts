import type { AuditOutcome, AuditRecord } from '../../../domain/shared/audit-record.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { FloodWindows } from '../flood-windows.js';

/** An answered request to the admin address. */
export interface AnsweredAdminRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly peerAddress: string;
  readonly correlationId: string;
  /** Further members of the record. */
  readonly audited?: Readonly<Record<string, string>>;
}

/** Where the records go. */
export interface AdminAudit {
  record(record: AuditRecord): void;
  /** Keeps the audit log open until the returned function is called. */
  hold(): () => void;
}

const accepted = 202;

const outcomeOf = (status: number): Extract<AuditOutcome, 'begun' | 'carried_out' | 'denied' | 'refused'> => {
  if (status === accepted) return 'begun';
  if (status < 300) return 'carried_out';
  return status === 401 || status === 403 ? 'denied' : 'refused';
};

/**
 * Logs and audits admin requests: those that change something, and those that are denied. Of unsuccessful requests it
 * records a few per second, then the number of the others, so that an attacker who tries tokens cannot displace other
 * records.
 */
export class AdminRequestLog {
  readonly #logger: Logger;
  readonly #audit: AdminAudit;
  readonly #windows: FloodWindows;

  constructor(logger: Logger, audit: AdminAudit, windows: FloodWindows) {
    this.#logger = logger;
    this.#audit = audit;
    this.#windows = windows;
  }

  /**
   * Begins a request. It may end the audit log, which waits for the record of this request until the returned function
   * is called.
   */
  begin(): () => void {
    return this.#audit.hold();
  }

  record({ method, path, status, peerAddress, correlationId, audited = {} }: AnsweredAdminRequest): void {
    const outcome = outcomeOf(status);
    if (method !== 'POST' && method !== 'DELETE' && outcome !== 'denied') return;
    const isRefusal = outcome === 'denied' || outcome === 'refused';
    if (isRefusal && !this.#windows.take(outcome, (count) => this.#recordOmitted(outcome, count))) return;
    const request = { path, client_ip: peerAddress, correlation_id: correlationId };
    this.#audit.record({ event: 'admin', outcome, members: { ...request, http_method: method, status, ...audited } });
    const fields = { ...request, trace_id: correlationId };
    if (outcome === 'begun') this.#logger.info('an admin request is still being carried out', fields);
    if (outcome === 'carried_out') this.#logger.info('an admin request was carried out', fields);
    if (outcome === 'denied') this.#logger.warn('an admin request was refused', { status, ...fields });
  }

  #recordOmitted(outcome: 'denied' | 'refused', count: number): void {
    this.#audit.record({ event: 'admin', outcome, members: { left_out: count } });
    if (outcome === 'denied') {
      this.#logger.warn('an admin request was refused: lines omitted', { left_out: count });
    }
  }
}
