import type { AgentAudit, AgentDecision } from '../../../domain/agent-protocol/messages.js';
import { type AuditedRequest, decisionRecord, undecidedRecord } from '../../../domain/gateway/audit/decision-record.js';
import type { AuditConfiguration } from '../../../domain/gateway/configuration/audit-schema.js';
import { auditLine } from '../../../domain/shared/audit-line.js';
import type { AuditOutcome, AuditRecord, GatewayEvent } from '../../../domain/shared/audit-record.js';
import { ok, type Result } from '../../../domain/shared/result.js';
import type { AuditLogOpener } from '../../ports/gateway/audit-log-opener.js';
import type { AuditLog } from '../../ports/shared/audit-log.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';

interface AuditedProcess {
  readonly open: AuditLogOpener;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Number of this process among the workers; 0: it is the only process, or the supervisor. */
  readonly worker: number;
  /** Version of the program. */
  readonly version: string;
}

/** An audit log that is open but not in force. */
export interface PreparedAudit {
  /**
   * Puts it in force. The previous log writes its pending records and ends. If the new configuration has no audit log,
   * the previous log also gets the last records: those of this turn, those of held requests, and those until
   * `lastRecords` settles. Cannot fail.
   */
  commit(lastRecords?: () => Promise<unknown>): void;
  abandon(): Promise<void>;
}

/** A log that the configuration no longer has. */
interface LeavingLog {
  readonly log: AuditLog;
  /** Whether `lastRecords` has settled. */
  isDue: boolean;
  ended(): void;
}

/** The parts of an exchange that audit records contain. */
export interface DecidedRequest {
  readonly id: string;
  readonly correlationId: string;
  readonly traceId: string;
  readonly client: { readonly address: string };
  readonly request: { readonly method: string };
  /** The path is normalised, without the query. */
  readonly target: { readonly path: string };
  readonly route: { readonly configuration: { readonly id: string } } | null;
}

/** The part that the supervisor uses, for events of the gateway. */
export type GatewayAudit = Pick<AuditTrail, 'prepare' | 'act' | 'close'>;

/** The part that the request path uses, for answers of agents. */
export type RequestAudit = Pick<AuditTrail, 'decided' | 'undecided'>;

/** The time in which a replaced log must write its pending records; milliseconds. */
export const lastWriteMs = 5_000;
/** Minimum interval between error lines about lost records; milliseconds. */
export const lossLineMs = 10_000;

const auditedRequest = (request: DecidedRequest): AuditedRequest => ({
  requestId: request.id,
  correlationId: request.correlationId,
  traceId: request.traceId,
  clientIp: request.client.address,
  method: request.request.method,
  path: request.target.path,
  route: request.route?.configuration.id ?? null,
});

/** Writes to the audit log of the configuration in force. Without one, a record costs one comparison. */
export class AuditTrail {
  readonly #process: AuditedProcess;
  readonly #lossLines: OncePerPeriod;
  #log: AuditLog | null = null;
  /** The log that still gets its last records; null: none. */
  #leaving: LeavingLog | null = null;
  #left: Promise<void> = Promise.resolve();
  /** Number of requests whose records are pending. */
  #held = 0;
  /** Replaced logs that are still writing. */
  readonly #ending = new Map<AuditLog, Promise<void>>();
  /** Records that were lost by logs that have ended. */
  #droppedBefore = 0;
  #reportedLosses = 0;

  constructor(process: AuditedProcess) {
    this.#process = process;
    this.#lossLines = new OncePerPeriod(process.clock, lossLineMs);
  }

  /** Opens the log of a configuration, even if it is the one in force, because its file may have been moved. */
  async prepare(audit: AuditConfiguration | null): Promise<Result<PreparedAudit, string>> {
    if (audit === null) {
      return ok({ commit: (lastRecords) => this.#leave(lastRecords), abandon: () => Promise.resolve() });
    }
    const opened = await this.#process.open(audit);
    if (!opened.ok) return opened;
    const log = opened.value;
    return ok({ commit: () => this.#replace(log), abandon: () => log.close(lastWriteMs) });
  }

  /** Records the answer of an agent about a request or its response. */
  decided(request: DecidedRequest, agent: string, decision: AgentDecision, audit: AgentAudit): void {
    if (this.#log !== null) this.record(decisionRecord(auditedRequest(request), agent, decision, audit));
  }

  /** Records that an agent gave no answer. */
  undecided(request: DecidedRequest, agent: string, reason: string, failsOpen: boolean): void {
    if (this.#log !== null) this.record(undecidedRecord(auditedRequest(request), agent, reason, failsOpen));
  }

  /** Records an event of the whole gateway. With several workers only the supervisor records it. */
  act(event: GatewayEvent, outcome: AuditOutcome, members: AuditRecord['members'] = {}): void {
    const { worker, version } = this.#process;
    if (worker === 0) this.record({ event, outcome, members: { version, ...members } });
  }

  record(record: AuditRecord): void {
    const log = this.#log ?? this.#leaving?.log ?? null;
    if (log === null) return;
    log.write(auditLine(this.#time(), this.#process.worker, record));
    this.#reportLoss();
  }

  /**
   * Makes a log that is removed wait for the record of a request that may change the gateway, until the returned
   * function is called.
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

  /** Resolves when a removed log, if any, has all its records. */
  left(): Promise<void> {
    return this.#left;
  }

  /** Number of records that were lost since the process began. */
  dropped(): number {
    let dropped = this.#droppedBefore + (this.#log?.dropped() ?? 0) + (this.#leaving?.log.dropped() ?? 0);
    for (const log of this.#ending.keys()) dropped += log.dropped();
    return dropped;
  }

  /** Writes pending records. Later records are ignored. */
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
    // The record distinguishes the end of auditing from a time without events.
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
      this.#reportLoss();
    });
    this.#ending.set(log, closing);
    return closing;
  }

  #reportLoss(): void {
    const dropped = this.dropped();
    if (dropped <= this.#reportedLosses || this.#lossLines.take() === null) return;
    this.#process.logger.error('audit records were lost', {
      lost: dropped - this.#reportedLosses,
      lost_so_far: dropped,
    });
    this.#reportedLosses = dropped;
  }

  #time(): string {
    return new Date(this.#process.clock.wallMs()).toISOString();
  }
}
