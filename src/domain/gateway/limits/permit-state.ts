import type { PermitReport } from './permit-messages.js';

/** Permits that went out with a message. */
interface Grant {
  readonly message: number;
  readonly permits: number;
}

/** How one worker stands with one contended key, as the supervisor knows it. */
export class PermitState {
  isPatient = false;
  /** It was told that there are none, and not yet that there are some. */
  isRefused = false;
  used = 0;
  /** The message that it has to answer; null where it has. */
  #awaited: number | null = null;
  /** What it holds by its last report; before the first one what it may have taken by itself. */
  #held = 0;
  #wants = 0;
  /** Those that the last report does not contain. */
  #grants: Grant[] = [];
  #granted = 0;
  #hasReported: boolean;

  /** @param assumed what it may hold unasked until its first report; null where it can hold nothing */
  constructor(assumed: number | null) {
    this.#hasReported = assumed === null;
    this.#held = assumed ?? 0;
  }

  /** What it can have in use at the most. */
  get allotted(): number {
    return this.#held + this.#granted;
  }

  get isAwaited(): boolean {
    return this.#awaited !== null;
  }

  get wants(): number {
    return this.#wants;
  }

  /** It has to answer a message. */
  await(message: number): void {
    this.#awaited = message;
  }

  /** Before its first report it may have taken more than was thought. */
  assume(share: number): void {
    if (!this.#hasReported) this.#held = Math.max(this.#held, share);
  }

  grant(message: number, permits: number): void {
    this.#grants.push({ message, permits });
    this.#granted += permits;
    this.#wants = Math.max(0, this.#wants - permits);
  }

  refuse(): void {
    this.isRefused = true;
    if (!this.isPatient) this.#wants = 0;
  }

  /** @param seen number of the last message that the worker had when it wrote this */
  report({ held, used, wants, isPatient }: PermitReport, seen: number): void {
    this.#hasReported = true;
    this.#grants = this.#grants.filter(({ message }) => message > seen);
    this.#granted = this.#grants.reduce((sum, { permits }) => sum + permits, 0);
    this.#held = held;
    this.used = used;
    this.#wants = Math.max(0, wants - this.#granted);
    // Who asks does not know of a refusal any more, or not yet.
    if (this.#wants > 0) this.isRefused = false;
    this.isPatient = isPatient;
    if (this.#awaited !== null && this.#awaited <= seen) this.#awaited = null;
  }
}
