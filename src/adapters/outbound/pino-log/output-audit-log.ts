import type { AuditLog } from '../../../application/ports/shared/audit-log.js';
import type { LogOutput } from './log-output.js';

/** Writes the audit log into the output of the other logs. */
export class OutputAuditLog implements AuditLog {
  readonly #output: Pick<LogOutput, 'writeAudit' | 'droppedAuditLines'>;
  readonly #droppedBefore: number;
  #droppedAtEnd: number | null = null;

  constructor(output: Pick<LogOutput, 'writeAudit' | 'droppedAuditLines'>) {
    this.#output = output;
    this.#droppedBefore = output.droppedAuditLines();
  }

  write(line: string): void {
    this.#output.writeAudit(line);
  }

  dropped(): number {
    return (this.#droppedAtEnd ?? this.#output.droppedAuditLines()) - this.#droppedBefore;
  }

  /** The output writes pending lines, now or when it closes. */
  async close(): Promise<void> {
    this.#droppedAtEnd ??= this.#output.droppedAuditLines();
  }
}
