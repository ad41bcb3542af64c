/** Where a configuration has the audit log written. */
export type AuditDestination = { readonly kind: 'stdout' } | { readonly kind: 'file'; readonly path: string };

/** The destination of audit records. Writing never blocks; its buffer is bounded. */
export interface AuditLog {
  /** Writes one line with its line feed. */
  write(line: string): void;
  /** Number of lost lines. */
  dropped(): number;
  /**
   * Stops accepting lines and flushes within the deadline. Unwritten lines go to `next` if it is of
   * the same kind; others count as lost. Never rejects.
   */
  close(deadlineMs: number, next?: AuditLog | null): Promise<void>;
}
