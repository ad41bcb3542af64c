import { fstatSync, write, writeSync } from 'node:fs';

/** Octets that a pipe takes in one piece, whoever else writes to it: PIPE_BUF of Linux (pipe(7)). */
export const wholeWriteBytes = 4096;

const lineFeed = 0x0a;

/**
 * How much of whole lines to write at once so that no other process's lines come in between. A line that is longer than a pipe takes whole
 * goes alone.
 */
export const endOfPiece = (lines: Buffer): number => {
  if (lines.length <= wholeWriteBytes) return lines.length;
  const last = lines.lastIndexOf(lineFeed, wholeWriteBytes - 1);
  if (last >= 0) return last + 1;
  const first = lines.indexOf(lineFeed, wholeWriteBytes);
  return first < 0 ? lines.length : first + 1;
};

/** Whether a descriptor is a pipe or a socket, into which writes of several processes mix. What cannot be looked at counts as one. */
export const isSharedPipe = (fileDescriptor: number): boolean => {
  try {
    const status = fstatSync(fileDescriptor);
    return status.isFIFO() || status.isSocket();
  } catch {
    return true;
  }
};

/** Characters that are encoded together: few enough to be in the processor's cache still. */
const groupCharacters = 8 * 1024;
/** Octets that a character of a text becomes in UTF-8, at the most. */
const mostOctets = 3;

/**
 * Lines that wait to be written, encoded as they come: a text that was put together of many thousands of parts takes several times as long.
 * They are encoded into one of two buffers, while the other is written from. What is more than fits waits as text.
 */
export class LineBuffer {
  readonly #octetsOfOne: number;
  #octets: Buffer | null = null;
  #other: Buffer | null = null;
  #filled = 0;
  /** What comes behind that. */
  #text = '';

  /** @param size octets of each of the two */
  constructor(size: number) {
    this.#octetsOfOne = size;
  }

  /** How much waits: characters, or octets of those that are encoded. */
  get length(): number {
    return this.#filled + this.#text.length;
  }

  add(line: string): void {
    this.#text += line;
    if (this.#text.length >= groupCharacters) this.#encode();
  }

  /**
   * Takes out all that waits. The octets stay as they are until the next call.
   *
   * INVARIANT: what the call before gave is not read any more.
   */
  lend(): Buffer {
    this.#encode();
    if (this.#text !== '') return this.copy();
    const lent = this.#octets;
    if (lent === null) return Buffer.alloc(0);
    const octets = lent.subarray(0, this.#filled);
    this.#octets = this.#other;
    this.#other = lent;
    this.#filled = 0;
    return octets;
  }

  /** Takes out all that waits, whoever still reads what was lent before. */
  copy(): Buffer {
    const encoded = this.#octets?.subarray(0, this.#filled) ?? Buffer.alloc(0);
    const octets = Buffer.concat([encoded, Buffer.from(this.#text)]);
    this.#filled = 0;
    this.#text = '';
    return octets;
  }

  #encode(): void {
    if (this.#text === '' || this.#text.length * mostOctets > this.#octetsOfOne - this.#filled) return;
    this.#octets ??= Buffer.allocUnsafeSlow(this.#octetsOfOne);
    this.#filled += this.#octets.write(this.#text, this.#filled);
    this.#text = '';
  }
}

/** Where log lines go and how much of them may wait. */
export interface LogOutputOptions {
  /** 1 is the standard output. */
  readonly fileDescriptor: number;
  /** Turns a line of JSON into what is written; null writes it as it is. Both end in a line feed. */
  readonly format: ((line: string) => string) | null;
  /** Characters that may wait before access lines are dropped. */
  readonly maxPendingCharacters?: number;
  /** Other processes write to the same pipe: every write is one that the system keeps whole. See `isSharedPipe`. */
  readonly isShared?: boolean;
}

/** Lines of a batch whose loss is counted. */
interface BatchLines {
  readonly access: number;
  readonly audit: number;
}

const defaultMaxPendingCharacters = 4 * 1024 * 1024;
/** Characters that are written without waiting for more. A write wakes another thread, which costs as much as many lines. */
const batchCharacters = 256 * 1024;
const bufferOctets = 2 * batchCharacters;
const batchDelayMs = 25;
const busyDelayMs = 10;

/**
 * Writes log lines without ever making a request wait: lines are gathered for some milliseconds and written together in
 * the background, one write at a time. What waits is bounded. When whoever reads is too slow, access lines are dropped
 * first, and counted; other lines have as much room again, and audit lines, which are counted too, as much once more. A write that fails (the reader has gone, the disk is full)
 * loses its lines, never the process.
 */
export class LogOutput {
  readonly #fileDescriptor: number;
  readonly #format: ((line: string) => string) | null;
  readonly #maxPendingCharacters: number;
  #isShared: boolean;
  readonly #onExit = (): void => this.flushSync();
  readonly #lines = new LineBuffer(bufferOctets);
  #batchAccessLines = 0;
  #batchAuditLines = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing = false;
  #droppedAccessLines = 0;
  #droppedAuditLines = 0;
  #closed = false;
  #onIdle: (() => void) | null = null;

  constructor({ fileDescriptor, format, maxPendingCharacters, isShared }: LogOutputOptions) {
    this.#fileDescriptor = fileDescriptor;
    this.#format = format;
    this.#maxPendingCharacters = maxPendingCharacters ?? defaultMaxPendingCharacters;
    this.#isShared = isShared ?? false;
    process.on('exit', this.#onExit);
  }

  /** Whether other processes write to the same pipe from now on. See `LogOutputOptions`. */
  share(isShared: boolean): void {
    this.#isShared = isShared;
  }

  /** Access lines that were lost so far. */
  droppedAccessLines(): number {
    return this.#droppedAccessLines;
  }

  /** Audit lines that were lost so far. */
  droppedAuditLines(): number {
    return this.#droppedAuditLines;
  }

  /** Writes a line that tells of the gateway itself. */
  write(line: string): void {
    if (this.#lines.length <= 2 * this.#maxPendingCharacters) this.#add(line);
  }

  /** Writes a line of the access log. */
  writeAccess(line: string): void {
    if (this.#closed || this.#lines.length > this.#maxPendingCharacters) {
      this.#droppedAccessLines += 1;
      return;
    }
    this.#batchAccessLines += 1;
    this.#add(line);
  }

  /** Writes a line of the audit log, which is the last kind to be dropped; it is JSON whatever the format of the others is. */
  writeAudit(line: string): void {
    if (this.#closed || this.#lines.length > 3 * this.#maxPendingCharacters) {
      this.#droppedAuditLines += 1;
      return;
    }
    this.#batchAuditLines += 1;
    this.#lines.add(line);
    this.#schedule();
  }

  /** Writes what waits before it returns, for a process that is about to end. */
  flushSync(): void {
    this.#beginBatch();
    // A write may be under way.
    let rest = this.#lines.copy();
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#fileDescriptor, rest, 0, this.#pieceOf(rest)));
    } catch {
      // There is nowhere left to tell it.
    }
  }

  /**
   * Writes what waits and takes no more. False where it could not all be written in time: then a thread is stuck in a
   * write to a reader that does not read, and an ordinary exit would wait for it.
   */
  async close(deadlineMs: number): Promise<boolean> {
    this.#closed = true;
    process.off('exit', this.#onExit);
    this.#writeBatch();
    if (!this.#writing) return true;
    return new Promise((resolve) => {
      const deadline = setTimeout(() => resolve(false), deadlineMs);
      this.#onIdle = () => {
        clearTimeout(deadline);
        resolve(true);
      };
    });
  }

  #add(line: string): void {
    if (this.#closed) return;
    this.#lines.add(this.#format === null ? line : this.#format(line));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#writing || this.#lines.length === 0) return;
    if (this.#closed || this.#lines.length >= batchCharacters) this.#writeBatch();
    else this.#timer ??= setTimeout(() => this.#writeBatch(), batchDelayMs);
  }

  #beginBatch(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#batchAccessLines = 0;
    this.#batchAuditLines = 0;
  }

  #writeBatch(): void {
    if (this.#writing || this.#lines.length === 0) return;
    const lines: BatchLines = { access: this.#batchAccessLines, audit: this.#batchAuditLines };
    this.#writing = true;
    this.#beginBatch();
    this.#writeRest(this.#lines.lend(), lines);
  }

  #writeRest(rest: Buffer, lines: BatchLines): void {
    write(this.#fileDescriptor, rest, 0, this.#pieceOf(rest), null, (error, written) => {
      if (error !== null && error.code === 'EAGAIN') {
        setTimeout(() => this.#writeRest(rest, lines), busyDelayMs);
      } else if (error !== null) {
        this.#droppedAccessLines += lines.access;
        this.#droppedAuditLines += lines.audit;
        this.#written();
      } else if (written < rest.length) {
        this.#writeRest(rest.subarray(written), lines);
      } else {
        this.#written();
      }
    });
  }

  /** Octets of the next write. */
  #pieceOf(rest: Buffer): number {
    return this.#isShared ? endOfPiece(rest) : rest.length;
  }

  #written(): void {
    this.#writing = false;
    this.#schedule();
    if (!this.#writing) this.#onIdle?.();
  }
}
