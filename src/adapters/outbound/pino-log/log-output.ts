import { fstatSync, write, writeSync } from 'node:fs';

/** Octets that a pipe accepts atomically: PIPE_BUF of Linux (pipe(7)). */
export const wholeWriteBytes = 4096;

const lineFeed = 0x0a;

/**
 * Length of the next atomic write in whole lines, so that lines of several processes do not mix. A
 * longer line is written alone.
 */
export const endOfPiece = (lines: Buffer): number => {
  if (lines.length <= wholeWriteBytes) return lines.length;
  const last = lines.lastIndexOf(lineFeed, wholeWriteBytes - 1);
  if (last >= 0) return last + 1;
  const first = lines.indexOf(lineFeed, wholeWriteBytes);
  return first < 0 ? lines.length : first + 1;
};

/**
 * Whether a descriptor is a pipe or socket, where writes of several processes mix. Unknown
 * descriptors count as one.
 */
export const isSharedPipe = (fileDescriptor: number): boolean => {
  try {
    const status = fstatSync(fileDescriptor);
    return status.isFIFO() || status.isSocket();
  } catch {
    return true;
  }
};

/** Characters encoded at once; few enough to stay in the CPU cache. */
const groupCharacters = 8 * 1024;
/** Maximum UTF-8 octets per UTF-16 code unit. */
const maxOctetsPerCharacter = 3;

/**
 * Pending lines, encoded on arrival: encoding a string of thousands of parts later takes several
 * times as long. One of two buffers is filled while the other is written; the excess waits as text.
 */
export class LineBuffer {
  readonly #bufferSize: number;
  #octets: Buffer | null = null;
  #other: Buffer | null = null;
  #filled = 0;
  /** Text that did not fit. */
  #text = '';

  /** @param size octets of each buffer */
  constructor(size: number) {
    this.#bufferSize = size;
  }

  /** Pending size: characters, or octets once encoded. */
  get length(): number {
    return this.#filled + this.#text.length;
  }

  add(line: string): void {
    this.#text += line;
    if (this.#text.length >= groupCharacters) this.#encode();
  }

  /**
   * Takes all pending output. The octets stay valid until the next call. INVARIANT: the result of
   * the previous call is no longer read.
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

  /** Takes all pending output while the previous result may still be read. */
  copy(): Buffer {
    const encoded = this.#octets?.subarray(0, this.#filled) ?? Buffer.alloc(0);
    const octets = Buffer.concat([encoded, Buffer.from(this.#text)]);
    this.#filled = 0;
    this.#text = '';
    return octets;
  }

  #encode(): void {
    if (this.#text === '' || this.#text.length * maxOctetsPerCharacter > this.#bufferSize - this.#filled) return;
    this.#octets ??= Buffer.allocUnsafeSlow(this.#bufferSize);
    this.#filled += this.#octets.write(this.#text, this.#filled);
    this.#text = '';
  }
}

/** Destination of log lines and limits of their buffer. */
export interface LogOutputOptions {
  /** 1 is standard output. */
  readonly fileDescriptor: number;
  /** Formats a JSON line; null writes it unchanged. Both end with a line feed. */
  readonly format: ((line: string) => string) | null;
  /** Pending characters above which access lines are dropped. */
  readonly maxPendingCharacters?: number;
  /** Other processes write to the same pipe, so every write must be atomic. See `isSharedPipe`. */
  readonly isShared?: boolean;
}

/** Counted lines of a batch. */
interface BatchLines {
  readonly access: number;
  readonly audit: number;
}

const defaultMaxPendingCharacters = 4 * 1024 * 1024;
/**
 * Characters that trigger a write at once. A write wakes another thread, which costs as much as
 * many lines.
 */
const batchCharacters = 256 * 1024;
const bufferOctets = 2 * batchCharacters;
const batchDelayMs = 25;
const busyDelayMs = 10;

/**
 * Writes log lines without delaying requests: lines are collected for some milliseconds and written
 * in the background, one write at a time. The buffer is bounded. If the reader is too slow, access
 * lines are dropped first and counted. Other lines have the same room again, and audit lines, also
 * counted, once more. A failed write loses its lines but never ends the process.
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

  /** Whether other processes write to the same pipe. See `LogOutputOptions`. */
  share(isShared: boolean): void {
    this.#isShared = isShared;
  }

  /** Lost access lines. */
  droppedAccessLines(): number {
    return this.#droppedAccessLines;
  }

  /** Lost audit lines. */
  droppedAuditLines(): number {
    return this.#droppedAuditLines;
  }

  /** Writes a line about the gateway itself. */
  write(line: string): void {
    if (this.#lines.length <= 2 * this.#maxPendingCharacters) this.#add(line);
  }

  /** Writes an access log line. */
  writeAccess(line: string): void {
    if (this.#closed || this.#lines.length > this.#maxPendingCharacters) {
      this.#droppedAccessLines += 1;
      return;
    }
    this.#batchAccessLines += 1;
    this.#add(line);
  }

  /** Writes an audit log line, the last kind to be dropped; always JSON. */
  writeAudit(line: string): void {
    if (this.#closed || this.#lines.length > 3 * this.#maxPendingCharacters) {
      this.#droppedAuditLines += 1;
      return;
    }
    this.#batchAuditLines += 1;
    this.#lines.add(line);
    this.#schedule();
  }

  /** Writes pending lines synchronously, for a process that is about to exit. */
  flushSync(): void {
    this.#beginBatch();
    // A write may be in progress.
    let rest = this.#lines.copy();
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#fileDescriptor, rest, 0, this.#pieceOf(rest)));
    } catch {
      // No output is left to report this.
    }
  }

  /**
   * Writes pending lines and accepts no more. False if this timed out: a thread then hangs in a
   * write, and a normal exit would wait for it.
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
