import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../support/gateway/http1-stream.js';

/** A message as the log of a case tells of it. */
export interface LoggedMessage {
  line: [string, string];
  version: string;
  fields: string[];
  body: string;
  trailers: string[];
  hasHead: boolean;
  isComplete: boolean;
}

/** A case of the llhttp corpus. */
export interface LlhttpCase {
  /** `request/method.md: CONNECT request` */
  readonly name: string;
  readonly kind: 'request' | 'response';
  /** One of the leniencies of llhttp is on. */
  readonly isLenient: boolean;
  /** llhttp is told that the messages have no body, whatever they declare. */
  readonly skipsBody: boolean;
  readonly octets: Uint8Array;
  readonly messages: readonly LoggedMessage[];
  /** Why llhttp goes no further, or null. */
  readonly error: string | null;
}

/**
 * The octets that a block of a case stands for. The last line feed is not part of it; a backslash at the end of a
 * line joins the line with the next one; other line feeds stand for CR LF; `\r`, `\n`, `\t`, `\f` and `\x00` are
 * escapes.
 */
const blockOctets = (block: string): Uint8Array =>
  Buffer.from(
    block
      .replace(/\n$/, '')
      .replaceAll('\\\n', '')
      .replaceAll('\n', '\r\n')
      .replaceAll('\\r', '\r')
      .replaceAll('\\n', '\n')
      .replaceAll('\\t', '\t')
      .replaceAll('\\f', '\f')
      .replace(/\\x([0-9a-fA-F]+)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );

const trimBlanks = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '');

/** What a log tells, line by line. */
class LogReader {
  readonly messages: LoggedMessage[] = [];
  error: string | null = null;
  readonly #octets: Uint8Array;
  #name = '';
  #value = '';

  constructor(octets: Uint8Array) {
    this.#octets = octets;
  }

  read(line: string): void {
    const span = /^off=(\d+) len=(\d+) span\[(\w+)\]/.exec(line);
    if (span) {
      const at = Number(span[1]);
      this.#span(span[3] ?? '', textOf(this.#octets, at, at + Number(span[2])));
      return;
    }
    const event = line.replace(/^off=\S+ /, '');
    this.error ??= /^error code=\d+ reason="(.*)"$/.exec(event)?.[1] ?? null;
    this.#event(event);
  }

  #event(event: string): void {
    if (event === 'message begin') {
      const message = {
        line: ['', ''],
        version: '',
        fields: [],
        body: '',
        trailers: [],
      } satisfies Partial<LoggedMessage>;
      this.messages.push({ ...message, line: ['', ''], hasHead: false, isComplete: false });
    }
    const message = this.messages.at(-1);
    if (message === undefined) return;
    if (event === 'header_value complete') {
      (message.hasHead ? message.trailers : message.fields).push(this.#name, trimBlanks(this.#value));
      this.#name = '';
      this.#value = '';
    } else if (event.startsWith('headers complete')) {
      message.hasHead = true;
      const status = /status=(\d+)/.exec(event)?.[1];
      if (status !== undefined) message.line[0] = status;
    } else if (event === 'message complete') message.isComplete = true;
  }

  #span(name: string, text: string): void {
    const message = this.messages.at(-1);
    if (message === undefined) throw new Error('a span before any message');
    if (name === 'method') message.line[0] += text;
    else if (name === 'url' || name === 'status') message.line[1] += text;
    else if (name === 'version') message.version += text;
    else if (name === 'header_field') this.#name += text;
    else if (name === 'header_value') this.#value += text;
    else if (name === 'body') message.body += text;
  }
}

interface CaseMeta {
  readonly type: string;
  readonly skipBody?: boolean;
}

const readCase = (name: string, { type, skipBody }: CaseMeta, octets: Uint8Array, log: string): LlhttpCase => {
  const reader = new LogReader(octets);
  for (const line of log.split('\n')) reader.read(line);
  return {
    name,
    kind: type.startsWith('request') ? 'request' : 'response',
    isLenient: type.includes('lenient'),
    skipsBody: skipBody === true,
    octets,
    messages: reader.messages.filter(({ hasHead }) => hasHead),
    error: reader.error,
  };
};

const readFile = (corpus: string, file: string): LlhttpCase[] => {
  const cases: LlhttpCase[] = [];
  const text = readFileSync(join(corpus, file), 'utf8');
  const pattern = /^#+ (.+)$|^<!-- meta=(\{.*\}) -->$|^```http\n([\s\S]*?)```$|^```log\n([\s\S]*?)```$/gm;
  let title = '';
  let caseMeta: CaseMeta = { type: '' };
  let octets = blockOctets('');
  for (const [, heading, meta, block, log] of text.matchAll(pattern)) {
    if (heading !== undefined) title = heading;
    else if (meta !== undefined) caseMeta = JSON.parse(meta) as CaseMeta;
    else if (block !== undefined) octets = blockOctets(block);
    else if (log !== undefined) cases.push(readCase(`${file}: ${title}`, caseMeta, octets, log));
  }
  return cases;
};

/** Every case of the corpus in a folder with `request/*.md` and `response/*.md`. */
export const llhttpCases = (corpus: string): LlhttpCase[] =>
  ['request', 'response'].flatMap((folder) =>
    readdirSync(join(corpus, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .flatMap((name) => readFile(corpus, `${folder}/${name}`)),
  );
