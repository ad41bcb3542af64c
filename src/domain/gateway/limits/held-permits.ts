import type { PermitMessage, PermitReport } from './permit-messages.js';

/** The result of asking for a permit. */
export type PermitOutcome =
  | 'taken'
  /** All permits are in use. */
  | 'full'
  /** None is held locally; the supervisor may have some. */
  | 'unknown';

/** Largest number of permits that one report asks for. It bounds the messages of a long queue. */
const maxWants = 16;

/**
 * The permits of one key in one worker. Uncontended, it uses its static share without asking. Contended, it uses
 * granted permits and sends a `report` whenever `isDue`.
 */
export class HeldPermits {
  readonly key: string;
  readonly isPatient: boolean;
  #limit: number;
  #share: number;
  #used = 0;
  /** Null: uncontended. */
  #held: number | null = null;
  #slack = 0;
  #isExhausted = false;
  #totalInUse = 0;
  #wants = 0;
  /** Wants that the supervisor knows. */
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

  /** Whether a report is due. Permits that return and leave again in between need no message. */
  get isDue(): boolean {
    return this.#isDue || this.#hasExcess;
  }

  get isContended(): boolean {
    return this.#held !== null;
  }

  /** Whether the supervisor has refused permits. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Permits in use by all workers, as far as this worker knows. */
  get totalInUse(): number {
    return Math.max(this.#used, this.#totalInUse);
  }

  /** Whether this state can be discarded. */
  get isIdle(): boolean {
    const isAtRest = this.#used === 0 && this.#wants === 0 && !this.isDue && !this.#isExhausted;
    return isAtRest && (this.#held === null || (this.#held === 0 && this.#share === 0));
  }

  /** @param isShareHeld whether this worker knows all contended keys and may use its static share of the others */
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

  /** Sets how many more permits it wants. INVARIANT: it wants none while it has unused ones. */
  setWants(wants: number): void {
    this.#wants = wants;
    if (wants === 0 ? this.#asked > 0 : this.#asked < Math.min(wants, maxWants)) {
      if (this.#held === null) this.#contend();
      this.#isDue = true;
    }
  }

  /** Sets a new limit and share. Permits in use stay in use. */
  setLimit(limit: number, share: number): void {
    this.#limit = limit;
    this.#share = share;
    this.#isExhausted = false;
    this.#totalInUse = 0;
    if (this.#held === null && this.#used <= share) return;
    if (this.#held === null) this.#contend();
    this.#slack = 0;
    this.#isDue = true;
  }

  /** Marks the key as contended, as the supervisor said when this worker joined. */
  markContended(): void {
    if (this.#held !== null) return;
    this.#contend();
    if (this.#used > 0) this.#isDue = true;
  }

  receive(message: PermitMessage): void {
    switch (message.kind) {
      case 'recall':
        if (this.#held === null) this.#contend();
        this.#slack = message.slack;
        this.#isDue = true;
        return;
      case 'grant':
        if (this.#held === null) this.#contend();
        this.#held = (this.#held ?? 0) + message.permits;
        this.#asked = Math.max(0, this.#asked - message.permits);
        this.#slack = message.slack;
        this.#isExhausted = false;
        return;
      case 'refused':
        this.#isExhausted = true;
        this.#totalInUse = message.inUse;
        if (!this.isPatient) this.#asked = 0;
        return;
      case 'available':
        this.#isExhausted = false;
        return;
      case 'slack':
        this.#slack = message.slack;
        return;
      case 'released':
        this.#held = null;
        this.#asked = 0;
        this.#isExhausted = false;
        this.#isDue = false;
        // The limit fell while this message was in transit.
        if (this.#used > this.#share) this.#contend();
    }
  }

  /** The report to the supervisor. It returns permits that are not needed. */
  report(): PermitReport {
    const held = this.#held ?? this.#used;
    const kept = this.#used === 0 ? 0 : this.#used + this.#slack;
    this.#held = Math.min(held, Math.max(this.#used, kept));
    this.#asked = Math.min(this.#wants, maxWants);
    this.#isDue = false;
    const { key, isPatient } = this;
    return { key, limit: this.#limit, held: this.#held, used: this.#used, wants: this.#asked, isPatient };
  }

  /** Whether there are too many unused permits. */
  get #hasExcess(): boolean {
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
