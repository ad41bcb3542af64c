import type { WheelTimer } from '../../../../domain/shared/timer-wheel.js';

/** A timer that can be moved or cancelled. */
export class Deadline implements WheelTimer {
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;

  constructor(readonly expired: () => void) {}
}
