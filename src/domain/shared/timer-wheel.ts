/**
 * A timer of at most one wheel; outside a wheel `slot` is -1. The wheel owns all fields except `dueMs`, which the owner
 * may postpone. The wheel notices that on its next pass.
 */
export interface WheelTimer {
  /** Milliseconds on the clock of `turn`, at least 0. `Infinity`: never. */
  dueMs: number;
  slot: number;
  next: WheelTimer | null;
  previous: WheelTimer | null;
  /** Called when the timer expires, after its removal. Must not throw: other timers expire in the same turn. */
  expired(): void;
}

/**
 * A hashed timing wheel (Varghese and Lauck 1987). Setting, postponing or removing a timer takes constant time. A turn
 * visits expired timers, postponed ones, and those more than a round away. Timers are never early, and at most one tick
 * late.
 */
export class TimerWheel {
  readonly #tickMs: number;
  readonly #slots: (WheelTimer | null)[];
  /** The last tick visited. */
  #tick: number;
  #size = 0;

  /** @param nowMs start time */
  constructor(tickMs: number, slots: number, nowMs: number) {
    this.#tickMs = tickMs;
    this.#slots = new Array<WheelTimer | null>(slots).fill(null);
    this.#tick = Math.floor(nowMs / tickMs);
  }

  get size(): number {
    return this.#size;
  }

  /** Sets or resets a timer. Call it to bring a timer forward; to postpone one, changing `dueMs` is enough. */
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

  /** Expires all due timers. A timer may set or remove others meanwhile. */
  turn(nowMs: number): void {
    const last = Math.floor(nowMs / this.#tickMs);
    // After a long pause, visit every slot once.
    const first = Math.max(this.#tick + 1, last - this.#slots.length + 1);
    this.#tick = Math.max(this.#tick, last);
    for (let tick = first; tick <= last; tick += 1) this.#visitSlot(tick % this.#slots.length, nowMs);
  }

  #insert(timer: WheelTimer): void {
    // The tick after the due time, so that no timer is early.
    const due = Math.max(Math.floor(timer.dueMs / this.#tickMs) + 1, this.#tick + 1);
    // A timer that is never due gets the slot that is visited last.
    const slot = (Number.isFinite(due) ? due : this.#tick) % this.#slots.length;
    const head = this.#slots[slot] ?? null;
    timer.slot = slot;
    timer.next = head;
    timer.previous = null;
    if (head !== null) head.previous = timer;
    this.#slots[slot] = timer;
    this.#size += 1;
  }

  #visitSlot(slot: number, nowMs: number): void {
    const timers: WheelTimer[] = [];
    for (let timer = this.#slots[slot] ?? null; timer !== null; timer = timer.next) timers.push(timer);
    for (const timer of timers) {
      // An earlier timer may have removed or moved this one.
      if (timer.slot !== slot) continue;
      this.remove(timer);
      if (timer.dueMs <= nowMs) timer.expired();
      else this.#insert(timer);
    }
  }
}
