import type { PermitMessage, PermitReport } from './permit-messages.js';

/** What came of the wish for a permit. */
export type PermitOutcome =
  | 'taken'
  /** All are in use. */
  | 'full'
  /** None is at hand; the supervisor knows whether there are some. */
  | 'unknown';

/** Wants beyond these are told once these have been met: a long queue is no flood of messages. */
const maxWants = 16;

/**
 * What one worker has of the permits of one key. Uncontended: its static share, and it asks nobody. Contended: what
 * it was granted. It says what it needs by `report`, which is due whenever `isDue`.
 */
export class PermitHolding {
  readonly key: string;
  readonly isPatient: boolean;
  #limit: number;
  #share: number;
  #used = 0;
  /** Null while uncontended. */
  #held: number | null = null;
  #slack = 0;
  #isExhausted = false;
  #inUseOfAll = 0;
  #wants = 0;
  /** Of the wants, those that the supervisor knows of. */
  #asked = 0;
  #isDue = false;

  constructor(key: string, isPatient: boolean, limit: number, share: number) {
    this.key = key;
    this.isPatient = isPatient;
    this.#limit = limit;
    this.#share = share;
  }

  get used(): number {
    return this.#used;
  }

  get wants(): number {
    return this.#wants;
  }

  /** What is given back and taken again before it is told of costs no message. */
  get isDue(): boolean {
    return this.#isDue || this.#hasTooMany;
  }

  get isContended(): boolean {
    return this.#held !== null;
  }

  /** Whether the supervisor has said that there are no more. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** What is in use, by all workers as far as this one knows. */
  get inUseOfAll(): number {
    return Math.max(this.#used, this.#inUseOfAll);
  }

  /** Whether nothing would be lost with it. */
  get isIdle(): boolean {
    const isAtRest = this.#used === 0 && this.#wants === 0 && !this.isDue && !this.#isExhausted;
    return isAtRest && (this.#held === null || (this.#held === 0 && this.#share === 0));
  }

  /** @param isShareHeld whether this worker knows all contended keys, so that it may use its share of the others */
  take(isShareHeld: boolean): PermitOutcome {
    if (this.#used < (this.#held ?? (isShareHeld ? this.#share : 0))) {
      this.#used += 1;
      return 'taken';
    }
    if (this.#held === null) {
      if (this.#used >= this.#limit) return 'full';
      this.#contend();
    }
    return this.#isExhausted ? 'full' : 'unknown';
  }

  giveBack(): void {
    this.#used -= 1;
  }

  /** How many it wants beyond what it has. INVARIANT: it has none that is not in use, or wants none. */
  want(wants: number): void {
    this.#wants = wants;
    if (wants === 0 ? this.#asked > 0 : this.#asked < Math.min(wants, maxWants)) {
      if (this.#held === null) this.#contend();
      this.#isDue = true;
    }
  }

  /** What holds from now on. What is in use stays in use. */
  limit(limit: number, share: number): void {
    this.#limit = limit;
    this.#share = share;
    this.#isExhausted = false;
    this.#inUseOfAll = 0;
    if (this.#held === null && this.#used <= share) return;
    if (this.#held === null) this.#contend();
    this.#slack = 0;
    this.#isDue = true;
  }

  /** It is contended, which this worker was told when it joined. */
  joined(): void {
    if (this.#held !== null) return;
    this.#contend();
    if (this.#used > 0) this.#isDue = true;
  }

  hear(word: PermitMessage): void {
    switch (word.kind) {
      case 'recall':
        if (this.#held === null) this.#contend();
        this.#slack = word.slack;
        this.#isDue = true;
        return;
      case 'grant':
        if (this.#held === null) this.#contend();
        this.#held = (this.#held ?? 0) + word.permits;
        this.#asked = Math.max(0, this.#asked - word.permits);
        this.#slack = word.slack;
        this.#isExhausted = false;
        return;
      case 'refused':
        this.#isExhausted = true;
        this.#inUseOfAll = word.inUse;
        if (!this.isPatient) this.#asked = 0;
        return;
      case 'available':
        this.#isExhausted = false;
        return;
      case 'slack':
        this.#slack = word.slack;
        return;
      case 'released':
        this.#held = null;
        this.#asked = 0;
        this.#isExhausted = false;
        this.#isDue = false;
        // The limit has gone down while this was on its way.
        if (this.#used > this.#share) this.#contend();
    }
  }

  /** What the supervisor has to know now. Gives up what is not needed. */
  report(): PermitReport {
    const held = this.#held ?? this.#used;
    const kept = this.#used === 0 ? 0 : this.#used + this.#slack;
    this.#held = Math.min(held, Math.max(this.#used, kept));
    this.#asked = Math.min(this.#wants, maxWants);
    this.#isDue = false;
    const { key, isPatient } = this;
    return { key, limit: this.#limit, held: this.#held, used: this.#used, wants: this.#asked, isPatient };
  }

  /** Unused ones that are to go back. */
  get #hasTooMany(): boolean {
    if (this.#held === null) return false;
    return this.#held - this.#used > (this.#used === 0 ? 0 : this.#slack * 2);
  }

  #contend(): void {
    this.#held = this.#used;
    this.#slack = 0;
    this.#asked = 0;
    this.#isDue = true;
  }
}
