import type { AuditOutcome } from '../../../domain/gateway/audit/audit-record.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { FloodWindows } from '../admit/flood-log.js';
import type { AuditTrail } from '../audit/audit-trail.js';

/** A request by the admin address that has its answer. */
export interface AnsweredAdminRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly peerAddress: string;
  readonly correlationId: string;
}

const accepted = 202;

const outcomeOf = (status: number): Extract<AuditOutcome, 'begun' | 'carried_out' | 'denied' | 'refused'> => {
  if (status === accepted) return 'begun';
  if (status < 300) return 'carried_out';
  return status === 401 || status === 403 ? 'denied' : 'refused';
};

/**
 * Tells the log and the audit log of what was asked by the admin address: of what changes something, and of who may
 * not ask. Of what was not carried out a few are told in a second, then how many more there were: whoever tries
 * tokens is not to push out other records.
 */
export class AdminAccount {
  readonly #logger: Logger;
  readonly #audit: Pick<AuditTrail, 'record' | 'hold'>;
  readonly #windows: FloodWindows;

  constructor(logger: Logger, audit: Pick<AuditTrail, 'record' | 'hold'>, windows: FloodWindows) {
    this.#logger = logger;
    this.#audit = audit;
    this.#windows = windows;
  }

  /**
   * A request is being answered, which may end the audit log: that has a place for it until what is returned is
   * called.
   */
  begin(): () => void {
    return this.#audit.hold();
  }

  tell({ method, path, status, peerAddress, correlationId }: AnsweredAdminRequest): void {
    const outcome = outcomeOf(status);
    if (method !== 'POST' && outcome !== 'denied') return;
    const isRefusal = outcome === 'denied' || outcome === 'refused';
    if (isRefusal && !this.#windows.take(outcome, (count) => this.#leftOut(outcome, count))) return;
    const request = { path, client_ip: peerAddress, correlation_id: correlationId };
    this.#audit.record({ event: 'admin', outcome, members: { ...request, http_method: method, status } });
    const fields = { ...request, trace_id: correlationId };
    if (outcome === 'begun') this.#logger.info('an admin request is still being carried out', fields);
    if (outcome === 'carried_out') this.#logger.info('an admin request was carried out', fields);
    if (outcome === 'denied') this.#logger.warn('an admin request was refused', { status, ...fields });
  }

  #leftOut(outcome: 'denied' | 'refused', count: number): void {
    this.#audit.record({ event: 'admin', outcome, members: { left_out: count } });
    if (outcome === 'denied') {
      this.#logger.warn('an admin request was refused: lines omitted', { left_out: count });
    }
  }
}
