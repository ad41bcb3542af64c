import type { AuditLog } from '../../../src/application/ports/shared/audit-log.js';

/** Keeps the lines of the audit log for a test; it may be made to lose them. */
export class RecordingAuditLog implements AuditLog {
  readonly lines: string[] = [];
  isFull = false;
  isClosed = false;
  /** What it was told to hand over to when it was closed. */
  next: AuditLog | null = null;
  #dropped = 0;

  /** The records, parsed. */
  get records(): readonly Readonly<Record<string, unknown>>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  write(line: string): void {
    if (this.isFull) this.#dropped += 1;
    else this.lines.push(line);
  }

  dropped(): number {
    return this.#dropped;
  }

  async close(_deadlineMs: number, next: AuditLog | null = null): Promise<void> {
    this.isClosed = true;
    this.next = next;
  }
}
