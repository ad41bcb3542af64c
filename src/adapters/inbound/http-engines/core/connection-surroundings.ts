import type { EngineLimits, RequestHandler } from '../../../../application/ports/gateway/http-engine.js';
import type { ListenerPatience } from '../connections/listener-patience.js';
import type { ReadAheadBudget } from '../connections/read-ahead.js';
import type { Deadlines } from './deadlines.js';
import type { JoinedWrites } from './joined-writes.js';

/** What the connections of a listener share. */
export interface ConnectionSurroundings {
  /** Of the listener. */
  readonly key: string;
  readonly handler: RequestHandler;
  readonly limits: EngineLimits;
  readonly patience: ListenerPatience;
  readonly budget: ReadAheadBudget;
  readonly deadlines: Deadlines;
  readonly writes: JoinedWrites;
}
