import type { AuditConfiguration } from '../../../domain/gateway/configuration/audit-schema.js';
import type { Result } from '../../../domain/shared/result.js';

/** Where the lines of the audit log go. It holds up nobody who writes; what it keeps meanwhile is bounded. */
export interface AuditLog {
  /** A whole line, with its line feed. */
  write(line: string): void;
  /** Lines that were lost so far. */
  dropped(): number;
  /**
   * Writes what waits, for so long at the most, and takes no more. A log of the same kind in `next` gets what could not be written; the rest
   * counts as lost. Never rejects.
   */
  close(deadlineMs: number, next?: AuditLog | null): Promise<void>;
}

/** Opens the log that the configuration names. The error is one clause which says what to do. */
export type AuditLogOpener = (audit: AuditConfiguration) => Promise<Result<AuditLog, string>>;
