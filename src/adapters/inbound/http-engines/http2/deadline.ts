import type { WheelTimer } from '../../../../domain/shared/timer-wheel.js';

/** Something that is to happen at a time, unless it is put off or taken back. */
export class Deadline implements WheelTimer {
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;

  constructor(readonly expired: () => void) {}
}
