import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { runPolicyCorpus } from '../../../application/agent/policy-tools/run-policy-corpus.js';
import type { CorpusFiles } from '../../../application/ports/agent/policy-files.js';

/** Characters that are gathered before they are written. */
const batchLength = 64 * 1024;

/** Writes lines to a stream, no faster than its reader takes them. */
class LineOutput {
  readonly #stream: Writable;
  #gathered = '';
  #hasFailed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => {
      this.#hasFailed = true;
    });
  }

  /** Whether the reader has gone away, so that nothing that is written arrives. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Resolves once there is room for another line. */
  async line(text: string): Promise<void> {
    this.#gathered += `${text}\n`;
    if (this.#gathered.length >= batchLength) await this.flush();
  }

  /** Resolves once what was gathered is with the stream. */
  async flush(): Promise<void> {
    const text = this.#gathered;
    this.#gathered = '';
    if (text === '' || this.#hasFailed || this.#stream.write(text)) return;
    // Rejects with the stream's error, which the listener above has noted.
    await once(this.#stream, 'drain').catch(() => undefined);
  }
}

/** The streams of the process, by what goes through them. */
export interface CorpusCommandStreams {
  /** One JSON line a request. */
  readonly results: Writable;
  /** Everything that is for a person to read. */
  readonly messages: (text: string) => void;
  /** Whether a person watches the messages as they come. */
  readonly isWatched: boolean;
}

/** Files between two words of progress. */
const progressStep = 100;
const clearLine = '\r\u001b[K';
/** A name of a file or a text of a case has no say over the terminal. */
const printable = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?');

class ReaderGone extends Error {}

/** Runs `gateway-auth policy corpus FOLDER`; gives the exit code. */
export const runCorpusCommand = async (
  folder: string,
  files: CorpusFiles,
  { results, messages, isWatched }: CorpusCommandStreams,
): Promise<0 | 1> => {
  const output = new LineOutput(results);
  const clear = isWatched ? clearLine : '';
  try {
    const run = await runPolicyCorpus(files, {
      async line(line) {
        await output.line(JSON.stringify(line));
        if (output.hasFailed) throw new ReaderGone();
      },
      complaint: (text) => messages(`${clear}error: ${printable(text)}\n`),
      remark: (text) => messages(`${clear}warning: ${printable(text)}\n`),
      progress(done, total) {
        if (isWatched && done % progressStep === 0) messages(`${clear}${done} of ${total} files`);
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
