/** What the operating system says of the file descriptors of this process. Each socket and each open file takes one. */
export interface DescriptorFigures {
  /** How many the process may have open; null: the system does not say. */
  limit(): number | null;
  /** Whether none is left at this moment. Costs two system calls. */
  areExhausted(): boolean;
}
