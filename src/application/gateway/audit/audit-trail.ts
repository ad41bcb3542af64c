import type { AgentAudit, AgentDecision } from '../../../domain/agent-protocol/messages.js';
import { auditLine } from '../../../domain/gateway/audit/audit-line.js';
import type { AuditOutcome, AuditRecord, GatewayEvent } from '../../../domain/gateway/audit/audit-record.js';
import {
  type AuditedRequest,
  judgementRecord,
  undecidedRecord,
} from '../../../domain/gateway/audit/judgement-record.js';
import type { AuditConfiguration } from '../../../domain/gateway/configuration/audit-schema.js';
import { ok, type Result } from '../../../domain/shared/result.js';
import type { AuditLog, AuditLogOpener } from '../../ports/gateway/audit-log.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';

export interface AuditTrailParts {
  readonly open: AuditLogOpener;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Number of this process among the workers of the gateway; 0: it is none of several. */
  readonly worker: number;
  /** Of the program. */
  readonly version: string;
}

/** An audit log that is opened, and not in force. */
export interface PreparedAudit {
  /**
   * From now on it takes the records; the one before writes what it has, and ends. Where there is none any more, the
   * one before has the last records too: those of this turn, of what is held, and of what comes until `lastRecords`
   * settles. Cannot fail.
   */
  commit(lastRecords?: () => Promise<unknown>): void;
  abandon(): Promise<void>;
}

/** A log that no configuration asks for any more. */
interface LeavingLog {
  readonly log: AuditLog;
  /** What others have to tell of its end is told. */
  isDue: boolean;
  ended(): void;
}

/** The request of an exchange, as far as an audit tells of it. */
export interface JudgedRequest {
  readonly id: string;
  readonly correlationId: string;
  readonly traceId: string;
  readonly client: { readonly address: string };
  readonly request: { readonly method: string };
  /** The path is normalised, without the query. */
  readonly target: { readonly path: string };
  readonly route: { readonly configuration: { readonly id: string } } | null;
}

/** Who watches over workers tells of the gateway by this. */
export type GatewayAudit = Pick<AuditTrail, 'prepare' | 'act' | 'close'>;

/** Hears what agents say of requests. */
export type RequestAudit = Pick<AuditTrail, 'judged' | 'undecided'>;

/** How long a log that is replaced has for what it still has to write, in milliseconds. */
export const lastWriteMs = 5_000;
/** Between two error lines on records that were lost, at least. */
export const lossLineMs = 10_000;

const auditedRequest = (request: JudgedRequest): AuditedRequest => ({
  requestId: request.id,
  correlationId: request.correlationId,
  traceId: request.traceId,
  clientIp: request.client.address,
  method: request.request.method,
  path: request.target.path,
  route: request.route?.configuration.id ?? null,
});

/** Keeps the audit log that the configuration in force asks for; without one a record costs a comparison. */
export class AuditTrail {
  readonly #parts: AuditTrailParts;
  readonly #lossLines: OncePerPeriod;
  #log: AuditLog | null = null;
  /** Takes what is still to be told of its end. */
  #leaving: LeavingLog | null = null;
  #left: Promise<void> = Promise.resolve();
  /** Requests whose records are still to come. */
  #held = 0;
  /** Replaced, and still writing. */
  readonly #ending = new Map<AuditLog, Promise<void>>();
  /** Lost by logs that have ended. */
  #droppedBefore = 0;
  #toldOf = 0;

  constructor(parts: AuditTrailParts) {
    this.#parts = parts;
    this.#lossLines = new OncePerPeriod(parts.clock, lossLineMs);
  }

  /** Opens what a configuration asks for; also where it is what is in force: the file may have been moved away. */
  async prepare(audit: AuditConfiguration | null): Promise<Result<PreparedAudit, string>> {
    if (audit === null) {
      return ok({ commit: (lastRecords) => this.#leave(lastRecords), abandon: () => Promise.resolve() });
    }
    const opened = await this.#parts.open(audit);
    if (!opened.ok) return opened;
    const log = opened.value;
    return ok({ commit: () => this.#replace(log), abandon: () => log.close(lastWriteMs) });
  }

  /** What an agent has answered about a request, or its response. */
  judged(request: JudgedRequest, agent: string, decision: AgentDecision, audit: AgentAudit): void {
    if (this.#log !== null) this.record(judgementRecord(auditedRequest(request), agent, decision, audit));
  }

  /** An agent has given no answer. */
  undecided(request: JudgedRequest, agent: string, reason: string, isLetThrough: boolean): void {
    if (this.#log !== null) this.record(undecidedRecord(auditedRequest(request), agent, reason, isLetThrough));
  }

  /**
   * Something that became of the gateway as a whole. Of several workers none tells of it: their supervisor does,
   * once.
   */
  act(event: GatewayEvent, outcome: AuditOutcome, members: AuditRecord['members'] = {}): void {
    const { worker, version } = this.#parts;
    if (worker === 0) this.record({ event, outcome, members: { version, ...members } });
  }

  record(record: AuditRecord): void {
    const log = this.#log ?? this.#leaving?.log ?? null;
    if (log === null) return;
    log.write(auditLine(this.#time(), this.#parts.worker, record));
    this.#tellOfLoss();
  }

  /**
   * A log that leaves waits for the record of a request that is about to change the gateway, until what is returned
   * is called.
   */
  hold(): () => void {
    let isHeld = true;
    this.#held += 1;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= 1;
      this.#endWhenDue();
    };
  }

  /** Resolves when the log that no configuration asks for any more, if there is one, has all of its records. */
  left(): Promise<void> {
    return this.#left;
  }

  /** Records that were lost since the process began. */
  dropped(): number {
    let dropped = this.#droppedBefore + (this.#log?.dropped() ?? 0) + (this.#leaving?.log.dropped() ?? 0);
    for (const log of this.#ending.keys()) dropped += log.dropped();
    return dropped;
  }

  /** Writes what waits. Nothing is recorded from then on. */
  async close(): Promise<void> {
    this.#endLeaving();
    void this.#close(this.#log, null);
    this.#log = null;
    await Promise.all(this.#ending.values());
  }

  #replace(next: AuditLog): void {
    const previous = this.#log;
    this.#endLeaving(next);
    this.#log = next;
    void this.#close(previous, next);
  }

  #leave(lastRecords: () => Promise<unknown> = () => Promise.resolve()): void {
    if (this.#log === null) return;
    let ended: () => void = () => undefined;
    this.#left = new Promise((resolve) => {
      ended = resolve;
    });
    const leaving: LeavingLog = { log: this.#log, isDue: false, ended };
    this.#leaving = leaving;
    this.#log = null;
    const due = (): void => {
      leaving.isDue = true;
      this.#endWhenDue();
    };
    void lastRecords().then(due, due);
  }

  #endWhenDue(): void {
    if (this.#leaving?.isDue === true && this.#held === 0) this.#endLeaving();
  }

  #endLeaving(next: AuditLog | null = null): void {
    if (this.#leaving === null) return;
    // Whoever reads on must not take silence for nothing happening.
    this.act('audit', 'ended');
    const { log, ended } = this.#leaving;
    this.#leaving = null;
    void this.#close(log, next).then(ended);
  }

  #close(log: AuditLog | null, next: AuditLog | null): Promise<void> {
    if (log === null) return Promise.resolve();
    const closing = log.close(lastWriteMs, next).then(() => {
      this.#ending.delete(log);
      this.#droppedBefore += log.dropped();
      this.#tellOfLoss();
    });
    this.#ending.set(log, closing);
    return closing;
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
