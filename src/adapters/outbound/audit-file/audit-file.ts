import { fstat, write, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { AuditLog } from '../../../application/ports/gateway/audit-log.js';
import type { Logger } from '../../../application/ports/shared/logger.js';

/** Octets that may wait for the disk, and of one write. */
export const defaultMaxPendingBytes = 8 * 1024 * 1024;
const batchBytes = 256 * 1024;
/** After a write that failed, until the next. */
export const retryMs = 1_000;

const lineFeed = 0x0a;
const goneReason = 'the file was deleted: a reload makes it again';

/** Of one write. */
interface Batch {
  readonly octets: Buffer;
  readonly lines: number;
  /** It begins with the line feed that ends a line that was begun. */
  readonly mends: boolean;
}

export interface AuditFileOptions {
  readonly path: string;
  /** What tells the file from others, whatever name it has. */
  readonly identity?: string;
  readonly logger: Logger;
  readonly maxPendingBytes?: number;
}

/** How the file is written to; the second is for a process that is about to end. */
export interface AuditFileWriter {
  write(octets: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  writeSync(octets: Buffer): number;
  /** Whether the file has no name any more: what is written then is gone with it. */
  isGone(done: (isGone: boolean) => void): void;
  close(): Promise<void>;
}

export const fileWriter = (file: FileHandle): AuditFileWriter => ({
  write: (octets, done) => write(file.fd, octets, 0, octets.length, null, done),
  writeSync: (octets) => writeSync(file.fd, octets),
  isGone: (done) => fstat(file.fd, (error, stats) => done(error === null && stats.nlink === 0)),
  close: () => file.close(),
});

/**
 * Lines of the audit log, appended to a file: some whole lines with each write, so that what several processes write
 * is never mixed within a line. What cannot be written is kept, in the bounds, and tried again; the file that takes
 * its place gets it. So is what went into a file that is deleted, which grows no more: nobody would see what fills
 * the disk. What finds no room is counted as lost.
 */
export class AuditFile implements AuditLog {
  readonly #writer: AuditFileWriter;
  readonly #path: string;
  readonly #identity: string | null;
  readonly #logger: Logger;
  readonly #maxPendingBytes: number;
  readonly #lines: Buffer[] = [];
  readonly #onExit = (): void => this.#flushSync();
  #pendingBytes = 0;
  #dropped = 0;
  /** Lines at the front of `#lines` that are being written. */
  #isWriting = false;
  #retry: NodeJS.Timeout | null = null;
  /** The end of the file is a part of a line. */
  #isTorn = false;
  #isFailing = false;
  /** Those that still write to the same file, before this may: what they leave may be a part of a line. */
  #predecessors = 0;
  #isClosed = false;
  #onIdle: (() => void) | null = null;
  /** Opened in its place. */
  #next: AuditFile | null = null;

  constructor(writer: AuditFileWriter, { path, identity, logger, maxPendingBytes }: AuditFileOptions) {
    this.#writer = writer;
    this.#path = path;
    this.#identity = identity ?? null;
    this.#logger = logger;
    this.#maxPendingBytes = maxPendingBytes ?? defaultMaxPendingBytes;
    process.on('exit', this.#onExit);
  }

  write(line: string): void {
    if (!this.#take(Buffer.from(line))) this.#dropped += 1;
  }

  dropped(): number {
    return this.#dropped;
  }

  async close(deadlineMs: number, next: AuditLog | null = null): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#next = next instanceof AuditFile ? next : null;
    const waits = this.#retry !== null;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    if (this.#next !== null && this.#isSameFileAs(this.#next)) this.#next.#predecessors += 1;
    // Where another file takes the lines they go before those that come now.
    if (waits && this.#next === null) this.#tryAgain();
    if (this.#isWriting || this.#predecessors > 0) await this.#idle(deadlineMs);
    process.off('exit', this.#onExit);
    this.#handOver();
    await this.#writer.close().catch(() => undefined);
  }

  /** False: there is no room, here or where it would go. */
  #take(octets: Buffer): boolean {
    if (this.#isClosed) {
      if (this.#next === null) return false;
      return this.#next.#take(octets);
    }
    if (this.#pendingBytes + octets.length > this.#maxPendingBytes) return false;
    this.#lines.push(octets);
    this.#pendingBytes += octets.length;
    // A turn of the loop has many records: they go together.
    if (!this.#isWriting && this.#retry === null && this.#predecessors === 0) this.#writeSoon();
    return true;
  }

  #writeSoon(): void {
    this.#isWriting = true;
    setImmediate(() => this.#writeNext());
  }

  #isSameFileAs(other: AuditFile): boolean {
    return this.#identity !== null && other.#identity === this.#identity;
  }

  /** What was not written is the next file's, and lost where that has no room or there is none. */
  #handOver(): void {
    const next = this.#next;
    for (const line of this.#lines.splice(0)) if (next === null || !next.#take(line)) this.#dropped += 1;
    this.#pendingBytes = 0;
    if (next !== null && this.#isSameFileAs(next)) next.#follow(this.#isTorn);
  }

  /** One that wrote to the same file is done. */
  #follow(isTorn: boolean): void {
    if (isTorn) this.#isTorn = true;
    this.#predecessors -= 1;
    if (this.#predecessors === 0 && !this.#isWriting && this.#retry === null) this.#writeSoon();
  }

  #idle(deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const deadline = setTimeout(resolve, deadlineMs);
      this.#onIdle = () => {
        clearTimeout(deadline);
        resolve();
      };
    });
  }

  #writeNext(): void {
    const { octets, lines, mends } = this.#nextBatch();
    if (lines === 0 || this.#predecessors > 0) {
      this.#isWriting = false;
      if (this.#predecessors === 0) this.#onIdle?.();
      return;
    }
    this.#writer.write(octets, (error, written) => {
      if (error === null && written === octets.length) {
        this.#writer.isGone((isGone) => (isGone ? this.#fails(goneReason) : this.#written(lines, mends)));
      } else {
        const reason = error?.code ?? 'the disk took a part of it';
        this.#failed({ octets, mends, written: error === null ? written : 0 }, reason);
      }
    });
  }

  #nextBatch(): Batch {
    const mends = this.#isTorn;
    const batch: Buffer[] = mends ? [Buffer.of(lineFeed)] : [];
    let bytes = 0;
    let lines = 0;
    for (const line of this.#lines) {
      if (lines > 0 && bytes + line.length > batchBytes) break;
      batch.push(line);
      bytes += line.length;
      lines += 1;
    }
    return { octets: Buffer.concat(batch), lines, mends };
  }

  /** What is torn since the write began is so still. */
  #written(lines: number, mends: boolean): void {
    this.#forget(lines);
    if (mends) this.#isTorn = false;
    if (this.#isFailing) this.#logger.info('the audit log is written again', { file: this.#path });
    this.#isFailing = false;
    this.#writeNext();
  }

  /**
   * What was written of the last line stays as a line of its own: others may have written behind it by the time of
   * the next try.
   */
  #failed({ octets, mends, written }: Omit<Batch, 'lines'> & { readonly written: number }, reason: string): void {
    const whole = octets.subarray(0, written).lastIndexOf(lineFeed) + 1;
    let lines = 0;
    for (let octet = mends ? 1 : 0; octet < whole; octet += 1) if (octets[octet] === lineFeed) lines += 1;
    if (written > 0) this.#isTorn = written > whole;
    this.#forget(lines);
    this.#fails(reason);
  }

  #fails(reason: string): void {
    if (!this.#isFailing) {
      this.#logger.error('the audit log cannot be written, and is tried again', { file: this.#path, reason });
    }
    this.#isFailing = true;
    this.#isWriting = false;
    if (this.#isClosed) this.#onIdle?.();
    else this.#retry = setTimeout(() => this.#tryAgain(), retryMs);
  }

  #tryAgain(): void {
    this.#retry = null;
    this.#isWriting = true;
    this.#writer.isGone((isGone) => (isGone ? this.#fails(goneReason) : this.#writeNext()));
  }

  /** A write that ends after its lines were handed over finds none of them. */
  #forget(lines: number): void {
    for (const line of this.#lines.splice(0, lines)) this.#pendingBytes -= line.length;
  }

  /** A write that is under way may come twice: better than not at all. */
  #flushSync(): void {
    try {
      while (this.#lines.length > 0) {
        const { octets, lines } = this.#nextBatch();
        if (this.#writer.writeSync(octets) < octets.length) return;
        this.#forget(lines);
      }
    } catch {
      // There is nowhere left to tell it.
    }
  }
}
