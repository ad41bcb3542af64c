/** What the operating system says of the file descriptors of this process. Each socket and each open file takes one. */
export interface DescriptorFigures {
  /** Descriptors that the process may have open; null: unknown. */
  limit(): number | null;
  /** Whether none is left at this moment. Costs two system calls. */
  areExhausted(): boolean;
}
