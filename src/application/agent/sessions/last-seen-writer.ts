import type { SessionStore } from '../../ports/agent/session-store.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';

/** Sessions that one write notes, at the most. */
export const batchSize = 500;
/** Sessions whose last use is still to be written, at the most. */
export const maximumUnwritten = 20_000;

export interface LastSeenWriterParts {
  readonly store: Pick<SessionStore, 'touch'>;
  readonly scheduler: Scheduler;
  /** From a use to when it is written, in milliseconds. */
  readonly delayMs: number;
}

/**
 * Writes when sessions were last seen, behind the requests and many at a time. What cannot be written is tried again; where too
 * many wait, others are left out: a session may end too early by that, and never too late.
 */
export class LastSeenWriter {
  readonly #parts: LastSeenWriterParts;
  readonly #unwritten = new Map<string, number>();
  #next: ScheduledTask | null = null;
  #writing: Promise<void> | null = null;
  #isStopped = false;

  constructor(parts: LastSeenWriterParts) {
    this.#parts = parts;
  }

  /** `lastSeenMs` in wall milliseconds. */
  note(idHash: string, lastSeenMs: number): void {
    if (this.#isStopped) return;
    if (this.#unwritten.size >= maximumUnwritten && !this.#unwritten.has(idHash)) return;
    this.#unwritten.set(idHash, lastSeenMs);
    if (this.#next === null && this.#writing === null) this.#schedule();
  }

  /** What is noted of a session and may not be written yet, in wall milliseconds; null: nothing. */
  unwritten(idHash: string): number | null {
    return this.#unwritten.get(idHash) ?? null;
  }

  /** It has ended. */
  forget(idHash: string): void {
    this.#unwritten.delete(idHash);
  }

  /** Writes what is noted now. Resolves once that has been tried; never rejects. */
  async flush(): Promise<void> {
    // What is being written may have left something behind: a second look is enough, for it starts after the call.
    if (this.#writing !== null) await this.#writing;
    await this.#write();
  }

  /** The last flush; nothing is noted from here on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#next?.cancel();
    this.#next = null;
    await this.flush();
    this.#unwritten.clear();
  }

  #schedule(): void {
    this.#next = this.#parts.scheduler.after(this.#parts.delayMs, () => {
      this.#next = null;
      void this.#write();
    });
  }

  #write(): Promise<void> {
    this.#next?.cancel();
    this.#next = null;
    this.#writing ??= this.#writeBatches().finally(() => {
      this.#writing = null;
      if (this.#unwritten.size > 0 && !this.#isStopped) this.#schedule();
    });
    return this.#writing;
  }

  async #writeBatches(): Promise<void> {
    const { store } = this.#parts;
    const due = [...this.#unwritten].map(([idHash, lastSeenMs]) => ({ idHash, lastSeenMs }));
    for (let start = 0; start < due.length; start += batchSize) {
      const batch = due.slice(start, start + batchSize);
      const written = await store.touch(batch);
      if (!written.ok) return;
      for (const { idHash, lastSeenMs } of batch) {
        if (this.#unwritten.get(idHash) === lastSeenMs) this.#unwritten.delete(idHash);
      }
    }
  }
}
