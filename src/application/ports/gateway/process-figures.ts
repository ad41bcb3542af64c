import type { EventLoopDelay, MemoryFigures } from './gateway-state.js';

/** Has the runtime give back memory that nothing uses any more. */
export interface MemoryReclaimer {
  /** Returns before it is done. Costs the time of a full collection; does nothing where the runtime offers no way. */
  reclaim(): void;
}

/** What the operating system says of the file descriptors of this process. Each socket and each open file takes one. */
export interface DescriptorFigures {
  /** Descriptors that the process may have open; null: unknown. */
  limit(): number | null;
  /** Whether none is left at this moment. Costs two system calls. */
  areExhausted(): boolean;
}

/** What the operating system and the runtime say of this process. */
export interface ProcessFigures {
  readonly pid: number;
  memory(): MemoryFigures;
  /** Octets of memory that the process holds; costs less than `memory`. */
  residentBytes(): number;
  /** Octets that the system has, or the control group of the process where that is less. */
  availableBytes(): number;
  /** Since the program started. */
  eventLoopDelay(): EventLoopDelay;
}
