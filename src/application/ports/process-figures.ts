import type { EventLoopDelay, MemoryFigures } from './gateway-state.js';

/** What the operating system and the runtime say of this process. */
export interface ProcessFigures {
  readonly pid: number;
  memory(): MemoryFigures;
  /** Since the program started. */
  eventLoopDelay(): EventLoopDelay;
}
