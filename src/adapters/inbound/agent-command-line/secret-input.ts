import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The stream that carries a secret. */
export type SecretInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

export type SecretReading =
  | { readonly kind: 'read'; readonly text: string }
  /** By Ctrl-C or Ctrl-D. */
  | { readonly kind: 'cancelled' }
  /** The message is one clause that repeats no input. */
  | { readonly kind: 'unfit'; readonly message: string };

/** Far more than a secret needs. */
const mostOctets = 65_536;

const unfit = (message: string): SecretReading => ({ kind: 'unfit', message });

const oneLine = (octets: Uint8Array): SecretReading => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    return unfit('the standard input is not UTF-8');
  }
  const line = text.replace(/\r?\n$/, '');
  return line.includes('\n') ? unfit('the standard input has more than one line') : { kind: 'read', text: line };
};

const readPipe = async (input: SecretInput): Promise<SecretReading> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of input) {
      const octets = Buffer.from(chunk);
      size += octets.length;
      if (size > mostOctets) return unfit('the standard input is too long');
      chunks.push(octets);
    }
  } catch {
    return unfit('the standard input cannot be read');
  }
  return oneLine(Buffer.concat(chunks));
};

/** Drops readline's echo. */
const nowhere = (): Writable =>
  new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });

/** One interface asks all questions, so that text typed ahead answers the next one. */
const ask = (
  prompts: readonly string[],
  input: SecretInput,
  show: (text: string) => void,
): Promise<readonly string[] | null> =>
  new Promise((resolve) => {
    const answers: string[] = [];
    const lines = createInterface({ input, output: nowhere(), terminal: true, historySize: 0 });
    const prompt = (): void => show(prompts[answers.length] ?? '');
    lines.on('SIGINT', () => lines.close());
    lines.on('close', () => resolve(answers.length === prompts.length ? answers : null));
    lines.on('line', (line) => {
      // Pasted lines can follow the last answer.
      if (answers.length === prompts.length) return;
      answers.push(line);
      show('\n');
      if (answers.length === prompts.length) lines.close();
      else prompt();
    });
    prompt();
  });

/**
 * Reads a secret: at a terminal with prompts and without echo, else one line. Two prompts ask for the same secret
 * twice.
 */
export const readSecret = async (
  prompts: readonly string[],
  input: SecretInput,
  show: (text: string) => void,
): Promise<SecretReading> => {
  if (input.isTTY !== true) return readPipe(input);
  const answers = await ask(prompts, input, show);
  if (answers === null) {
    show('\n');
    return { kind: 'cancelled' };
  }
  const [text = '', ...again] = answers;
  return again.every((answer) => answer === text) ? { kind: 'read', text } : unfit('the two entries differ');
};
