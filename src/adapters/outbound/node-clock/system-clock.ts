import type { Clock } from '../../../application/ports/shared/clock.js';
import { turnMs } from '../../event-loop-batching/event-loop-turn.js';

/** The clocks of the host. */
export class SystemClock implements Clock {
  wallMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  turnMs(): number {
    return turnMs();
  }
}
