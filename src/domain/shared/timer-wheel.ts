/**
 * Something that is to happen when its time has come. Of one wheel only; what is in none has `slot` -1. The fields
 * are the wheel's, but for `dueMs`, which may be put off without telling it: the wheel finds out when it comes by.
 */
export interface WheelTimer {
  /** By the clock that the wheel is turned by, which begins at 0 or later; milliseconds. `Infinity`: never. */
  dueMs: number;
  slot: number;
  next: WheelTimer | null;
  previous: WheelTimer | null;
  /** Its time has come; it is in the wheel no more. Throws nothing: others are due in the same turn. */
  expired(): void;
}

/**
 * Timers by the tick in which they are due (a hashed timing wheel; Varghese and Lauck 1987). To set, put off or take
 * out a timer costs the same however many there are; a turn costs what is due in it, and what has been put off or is
 * more than a round away. None is early; one may be late by a tick.
 */
export class TimerWheel {
  readonly #tickMs: number;
  readonly #slots: (WheelTimer | null)[];
  /** The last tick that was looked at. */
  #tick: number;
  #size = 0;

  /** @param nowMs the time at which the wheel begins */
  constructor(tickMs: number, slots: number, nowMs: number) {
    this.#tickMs = tickMs;
    this.#slots = new Array<WheelTimer | null>(slots).fill(null);
    this.#tick = Math.floor(nowMs / tickMs);
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Sets a timer that is in no wheel, or sets it anew. One that is only put off need not be told of; one that is
   * brought forward has to be.
   */
  set(timer: WheelTimer, dueMs: number): void {
    this.remove(timer);
    timer.dueMs = dueMs;
    this.#insert(timer);
  }

  remove(timer: WheelTimer): void {
    const { slot, next, previous } = timer;
    if (slot < 0) return;
    if (previous === null) this.#slots[slot] = next;
    else previous.next = next;
    if (next !== null) next.previous = previous;
    timer.slot = -1;
    timer.next = null;
    timer.previous = null;
    this.#size -= 1;
  }

  /** Has every timer expire whose time has come. What a timer does meanwhile to others of the wheel is heeded. */
  turn(nowMs: number): void {
    const last = Math.floor(nowMs / this.#tickMs);
    // After a long pause every slot is looked at once.
    const first = Math.max(this.#tick + 1, last - this.#slots.length + 1);
    this.#tick = Math.max(this.#tick, last);
    for (let tick = first; tick <= last; tick += 1) this.#look(tick % this.#slots.length, nowMs);
  }

  #insert(timer: WheelTimer): void {
    // The tick behind the one in which it is due: then it is over.
    const due = Math.max(Math.floor(timer.dueMs / this.#tickMs) + 1, this.#tick + 1);
    // What is never due has the slot that comes by last.
    const slot = (Number.isFinite(due) ? due : this.#tick) % this.#slots.length;
    const head = this.#slots[slot] ?? null;
    timer.slot = slot;
    timer.next = head;
    timer.previous = null;
    if (head !== null) head.previous = timer;
    this.#slots[slot] = timer;
    this.#size += 1;
  }

  #look(slot: number, nowMs: number): void {
    const waiting: WheelTimer[] = [];
    for (let timer = this.#slots[slot] ?? null; timer !== null; timer = timer.next) waiting.push(timer);
    for (const timer of waiting) {
      // One that expired before may have taken it out, or set it elsewhere.
      if (timer.slot !== slot) continue;
      this.remove(timer);
      if (timer.dueMs <= nowMs) timer.expired();
      else this.#insert(timer);
    }
  }
}
