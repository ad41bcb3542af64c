import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { runPolicyCorpus } from '../../../application/agent/policy-tools/run-policy-corpus.js';
import type { CorpusFiles } from '../../../application/ports/agent/policy-files.js';

/** Characters to buffer before a write. */
const batchLength = 64 * 1024;

/** Writes lines to a stream and respects its back-pressure. */
class LineOutput {
  readonly #stream: Writable;
  #buffered = '';
  #hasFailed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => {
      this.#hasFailed = true;
    });
  }

  /** Whether the reader has closed the stream. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Resolves when the stream can take another line. */
  async line(text: string): Promise<void> {
    this.#buffered += `${text}\n`;
    if (this.#buffered.length >= batchLength) await this.flush();
  }

  /** Resolves when the buffered lines are in the stream. */
  async flush(): Promise<void> {
    const text = this.#buffered;
    this.#buffered = '';
    if (text === '' || this.#hasFailed || this.#stream.write(text)) return;
    // The listener above has recorded the stream's error.
    await once(this.#stream, 'drain').catch(() => undefined);
  }
}

/** The output streams of the command. */
export interface CorpusCommandStreams {
  /** One JSON line per request. */
  readonly results: Writable;
  /** Text for people. */
  readonly messages: (text: string) => void;
  /** Whether `messages` is a terminal. */
  readonly isTerminal: boolean;
}

/** Files between two progress messages. */
const progressStep = 100;
const clearLine = '\r\u001b[K';
/** Replaces control characters: file names and case texts must not control the terminal. */
const printable = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?');

class ReaderGone extends Error {}

/** Runs `gateway-auth policy corpus FOLDER` and returns the exit code. */
export const runCorpusCommand = async (
  folder: string,
  files: CorpusFiles,
  { results, messages, isTerminal }: CorpusCommandStreams,
): Promise<0 | 1> => {
  const output = new LineOutput(results);
  const clear = isTerminal ? clearLine : '';
  try {
    const run = await runPolicyCorpus(files, {
      async line(line) {
        await output.line(JSON.stringify(line));
        if (output.hasFailed) throw new ReaderGone();
      },
      complaint: (text) => messages(`${clear}error: ${printable(text)}\n`),
      remark: (text) => messages(`${clear}warning: ${printable(text)}\n`),
      progress(done, total) {
        if (isTerminal && done % progressStep === 0) messages(`${clear}${done} of ${total} files`);
      },
    });
    await output.flush();
    messages(clear);
    if (!run.ok) messages(`error: ${folder} ${run.error}\n`);
    else if (run.value.failed > 0) messages(`error: ${run.value.failed} of ${run.value.cases} cases failed\n`);
    return run.ok && run.value.failed === 0 && !output.hasFailed ? 0 : 1;
  } catch (error) {
    if (error instanceof ReaderGone) return 1;
    throw error;
  }
};
