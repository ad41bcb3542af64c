import type { EngineLimits, RequestHandler } from '../../../../application/ports/gateway/http-engine.js';
import type { ListenerTimers } from '../connections/listener-timers.js';
import type { ReadAheadBudget } from '../connections/read-ahead.js';
import type { CorkedWrites } from './corked-writes.js';
import type { Deadlines } from './deadlines.js';

/** What the connections of a listener share. */
export interface ConnectionSurroundings {
  /** Of the listener. */
  readonly key: string;
  readonly handler: RequestHandler;
  readonly limits: EngineLimits;
  readonly patience: ListenerTimers;
  readonly budget: ReadAheadBudget;
  readonly deadlines: Deadlines;
  readonly writes: CorkedWrites;
}
