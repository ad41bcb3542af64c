import { fstat, write, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { AuditLog } from '../../../application/ports/shared/audit-log.js';
import type { Logger } from '../../../application/ports/shared/logger.js';

/** Maximum octets that may wait for the disk, and maximum octets of one write. */
export const defaultMaxPendingBytes = 8 * 1024 * 1024;
const batchBytes = 256 * 1024;
/** Delay after a failed write, in milliseconds. */
export const retryMs = 1_000;

const lineFeed = 0x0a;
const goneReason = 'the file was deleted: reload to recreate it';

/** The content of one write. */
interface Batch {
  readonly octets: Buffer;
  readonly lines: number;
  /** Starts with a line feed that ends a partial line. */
  readonly endsTornLine: boolean;
}

export interface AuditFileOptions {
  readonly path: string;
  /** Device and inode: the same file under any name has the same identity. */
  readonly identity?: string;
  readonly logger: Logger;
  readonly maxPendingBytes?: number;
}

/** Writes to the file. `writeSync` is for a process that is about to exit. */
export interface AuditFileWriter {
  write(octets: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  writeSync(octets: Buffer): number;
  /** Whether the file was unlinked, so that further writes would be lost. */
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
 * The audit log in a file. Each write appends whole lines, so that several processes never mix
 * within a line. Failed writes are retried within the bounds of the buffer; the next file takes
 * over what remains. Lines written to a deleted file are kept too, and the deleted file stops
 * growing. Lines that do not fit are counted as dropped.
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
  /** A write of the first lines of `#lines` is in progress. */
  #isWriting = false;
  #retry: NodeJS.Timeout | null = null;
  /** The file ends with a partial line. */
  #isTorn = false;
  #isFailing = false;
  /**
   * Number of predecessors that still write to the same file. This one waits: they may leave a
   * partial line.
   */
  #predecessors = 0;
  #isClosed = false;
  #onIdle: (() => void) | null = null;
  /** The file that replaces this one. */
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
    if (!this.#enqueue(Buffer.from(line))) this.#dropped += 1;
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
    // If there is a next file, it takes these lines before new ones.
    if (waits && this.#next === null) this.#tryAgain();
    if (this.#isWriting || this.#predecessors > 0) await this.#idle(deadlineMs);
    process.off('exit', this.#onExit);
    this.#handOver();
    await this.#writer.close().catch(() => undefined);
  }

  /** Returns false if the buffer, here or in the next file, is full. */
  #enqueue(octets: Buffer): boolean {
    if (this.#isClosed) {
      if (this.#next === null) return false;
      return this.#next.#enqueue(octets);
    }
    if (this.#pendingBytes + octets.length > this.#maxPendingBytes) return false;
    this.#lines.push(octets);
    this.#pendingBytes += octets.length;
    // Batches the lines of one loop turn.
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

  /** Moves unwritten lines to the next file; counts them as dropped if it is full or absent. */
  #handOver(): void {
    const next = this.#next;
    for (const line of this.#lines.splice(0)) if (next === null || !next.#enqueue(line)) this.#dropped += 1;
    this.#pendingBytes = 0;
    if (next !== null && this.#isSameFileAs(next)) next.#predecessorDone(this.#isTorn);
  }

  /** A predecessor on the same file has finished. */
  #predecessorDone(isTorn: boolean): void {
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
    const { octets, lines, endsTornLine } = this.#nextBatch();
    if (lines === 0 || this.#predecessors > 0) {
      this.#isWriting = false;
      if (this.#predecessors === 0) this.#onIdle?.();
      return;
    }
    this.#writer.write(octets, (error, written) => {
      if (error === null && written === octets.length) {
        this.#writer.isGone((isGone) => (isGone ? this.#retryLater(goneReason) : this.#written(lines, endsTornLine)));
      } else {
        const reason = error?.code ?? 'the disk accepted only a part';
        this.#failed({ octets, endsTornLine, written: error === null ? written : 0 }, reason);
      }
    });
  }

  #nextBatch(): Batch {
    const endsTornLine = this.#isTorn;
    const batch: Buffer[] = endsTornLine ? [Buffer.of(lineFeed)] : [];
    let bytes = 0;
    let lines = 0;
    for (const line of this.#lines) {
      if (lines > 0 && bytes + line.length > batchBytes) break;
      batch.push(line);
      bytes += line.length;
      lines += 1;
    }
    return { octets: Buffer.concat(batch), lines, endsTornLine };
  }

  /** Does not reset a tear that occurred after the write began. */
  #written(lines: number, endsTornLine: boolean): void {
    this.#forget(lines);
    if (endsTornLine) this.#isTorn = false;
    if (this.#isFailing) this.#logger.info('Writing the audit log works again', { file: this.#path });
    this.#isFailing = false;
    this.#writeNext();
  }

  /** A partly written line stays as a line: others may have appended to it before the retry. */
  #failed(
    { octets, endsTornLine, written }: Omit<Batch, 'lines'> & { readonly written: number },
    reason: string,
  ): void {
    const whole = octets.subarray(0, written).lastIndexOf(lineFeed) + 1;
    let lines = 0;
    for (let octet = endsTornLine ? 1 : 0; octet < whole; octet += 1) if (octets[octet] === lineFeed) lines += 1;
    if (written > 0) this.#isTorn = written > whole;
    this.#forget(lines);
    this.#retryLater(reason);
  }

  #retryLater(reason: string): void {
    if (!this.#isFailing) {
      this.#logger.error('Writing the audit log failed; retrying', { file: this.#path, reason });
    }
    this.#isFailing = true;
    this.#isWriting = false;
    if (this.#isClosed) this.#onIdle?.();
    else this.#retry = setTimeout(() => this.#tryAgain(), retryMs);
  }

  #tryAgain(): void {
    this.#retry = null;
    this.#isWriting = true;
    this.#writer.isGone((isGone) => (isGone ? this.#retryLater(goneReason) : this.#writeNext()));
  }

  /** Removes written lines. Finds none if they were handed over during the write. */
  #forget(lines: number): void {
    for (const line of this.#lines.splice(0, lines)) this.#pendingBytes -= line.length;
  }

  /**
   * Writes the rest synchronously. A write in progress may appear twice, which is better than a
   * loss.
   */
  #flushSync(): void {
    try {
      while (this.#lines.length > 0) {
        const { octets, lines } = this.#nextBatch();
        if (this.#writer.writeSync(octets) < octets.length) return;
        this.#forget(lines);
      }
    } catch {
      // The process exits; there is nowhere to report an error.
    }
  }
}
