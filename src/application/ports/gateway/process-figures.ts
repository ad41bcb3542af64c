import type { EventLoopDelay, MemoryFigures } from './gateway-state.js';

/** Makes the runtime release unused memory. */
export interface MemoryReclaimer {
  /**
   * Returns before the collection is finished. Costs a full garbage collection; no effect if the
   * runtime does not support it.
   */
  reclaim(): void;
}

/**
 * File descriptors of this process, as the operating system reports them. Each socket and each open
 * file uses one.
 */
export interface DescriptorFigures {
  /** Maximum number of open descriptors; null: unknown. */
  limit(): number | null;
  /** Whether none is left now. Costs two system calls. */
  areExhausted(): boolean;
}

/** Figures of this process from the operating system and the runtime. */
export interface ProcessFigures {
  readonly pid: number;
  memory(): MemoryFigures;
  /** Resident memory in octets; cheaper than `memory`. */
  residentBytes(): number;
  /** Memory of the system, or of the process's control group if that is smaller; octets. */
  availableBytes(): number;
  /** Since the program started. */
  eventLoopDelay(): EventLoopDelay;
}
