import type { AgentAudit, AgentDecision } from '../../domain/agent-protocol/messages.js';
import { auditLine } from '../../domain/audit/audit-line.js';
import type { AuditRecord } from '../../domain/audit/audit-record.js';
import { type AuditedRequest, judgementRecord, undecidedRecord } from '../../domain/audit/judgement-record.js';
import type { AuditConfiguration } from '../../domain/configuration/audit-configuration.js';
import { ok, type Result } from '../../domain/shared/result.js';
import { OncePerPeriod } from '../authenticate-request/once-per-period.js';
import type { AuditLog, AuditLogOpener } from '../ports/audit-log.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';

export interface AuditTrailParts {
  readonly open: AuditLogOpener;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Number of this process among the workers of the gateway; 0: it has none. */
  readonly worker: number;
}

/** An audit log that is opened, and not in force. */
export interface PreparedAudit {
  /** From now on it takes the records; the one before writes what it has, and ends. Cannot fail. */
  commit(): void;
  abandon(): Promise<void>;
}

/** The request of an exchange, as far as an audit tells of it. */
export interface JudgedRequest {
  readonly id: string;
  readonly correlationId: string;
  readonly traceId: string;
  readonly client: { readonly address: string };
  readonly route: { readonly configuration: { readonly id: string } } | null;
}

/** Hears what agents say of requests. */
export type RequestAudit = Pick<AuditTrail, 'judged' | 'undecided'>;

/** How long a log that is replaced has for what it still has to write, in milliseconds. */
export const lastWriteMs = 5_000;
/** Between two error lines on records that were lost, at the least. */
export const lossLineMs = 10_000;

const auditedRequest = (request: JudgedRequest): AuditedRequest => ({
  requestId: request.id,
  correlationId: request.correlationId,
  traceId: request.traceId,
  clientIp: request.client.address,
  route: request.route?.configuration.id ?? null,
});

/** Keeps the audit log that the configuration in force asks for; without one a record costs a comparison. */
export class AuditTrail {
  readonly #parts: AuditTrailParts;
  readonly #lossLines: OncePerPeriod;
  #log: AuditLog | null = null;
  /** Replaced, and still writing. */
  readonly #ending = new Set<AuditLog>();
  /** Lost by logs that have ended. */
  #droppedBefore = 0;
  #toldOf = 0;

  constructor(parts: AuditTrailParts) {
    this.#parts = parts;
    this.#lossLines = new OncePerPeriod(parts.clock, lossLineMs);
  }

  /** Opens what a configuration asks for; also where it is what is in force: the file may have been moved away. */
  async prepare(audit: AuditConfiguration | null): Promise<Result<PreparedAudit, string>> {
    if (audit === null) return ok({ commit: () => this.#replace(null), abandon: () => Promise.resolve() });
    const opened = await this.#parts.open(audit);
    if (!opened.ok) return opened;
    const log = opened.value;
    return ok({ commit: () => this.#replace(log), abandon: () => log.close(lastWriteMs) });
  }

  /** What an agent has answered about a request, or its response. */
  judged(request: JudgedRequest, agent: string, decision: AgentDecision['kind'], audit: AgentAudit): void {
    if (this.#log !== null) this.record(judgementRecord(auditedRequest(request), agent, decision, audit));
  }

  /** An agent has given no answer. */
  undecided(request: JudgedRequest, agent: string, reason: string, isLetThrough: boolean): void {
    if (this.#log !== null) this.record(undecidedRecord(auditedRequest(request), agent, reason, isLetThrough));
  }

  record(record: AuditRecord): void {
    if (this.#log === null) return;
    this.#log.write(auditLine(this.#time(), this.#parts.worker, record));
    this.#tellOfLoss();
  }

  /** Records that were lost since the process began. */
  dropped(): number {
    let dropped = this.#droppedBefore + (this.#log?.dropped() ?? 0);
    for (const log of this.#ending) dropped += log.dropped();
    return dropped;
  }

  /** Writes what waits. Nothing is recorded from then on. */
  close(): Promise<void> {
    return this.#end(null);
  }

  #replace(next: AuditLog | null): void {
    // Whoever reads on must not take silence for nothing happening.
    if (next === null) this.record({ event: 'audit', outcome: 'ended', members: {} });
    void this.#end(next);
  }

  async #end(next: AuditLog | null): Promise<void> {
    const previous = this.#log;
    this.#log = next;
    if (previous === null) return;
    this.#ending.add(previous);
    await previous.close(lastWriteMs);
    this.#ending.delete(previous);
    this.#droppedBefore += previous.dropped();
    this.#tellOfLoss();
  }

  #tellOfLoss(): void {
    const dropped = this.dropped();
    if (dropped <= this.#toldOf || this.#lossLines.take() === null) return;
    this.#parts.logger.error('audit records were lost', { lost: dropped - this.#toldOf, lost_so_far: dropped });
    this.#toldOf = dropped;
  }

  #time(): string {
    return new Date(this.#parts.clock.wallMs()).toISOString();
  }
}
