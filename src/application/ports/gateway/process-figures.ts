import type { EventLoopDelay, MemoryFigures } from './gateway-state.js';

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
