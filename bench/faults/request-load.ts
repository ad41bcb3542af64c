import { Agent, type IncomingMessage, request } from 'node:http';

/** How a request ended, as its client saw it. */
export interface RequestOutcome {
  /** Its own among all; the last segment of its path. */
  readonly id: number;
  readonly method: string;
  /** When it began and when it had ended: milliseconds of `performance.now()`. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** 0: no answer came. */
  readonly status: number;
  /** What a problem document calls itself; null: the answer is none. */
  readonly code: string | null;
  /** The answer, or what took its place, broke off. */
  readonly isCut: boolean;
  readonly hasRetryAfter: boolean;
  /** The first of the body, where targets say who they are. */
  readonly text: string;
}

export interface RequestLoadOptions {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** Without a slash at its end. */
  readonly path: string;
  readonly perSecond: number;
  /** In turn. A POST has a small body. */
  readonly methods: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that takes longer has no answer: whoever gave none in this time has lost it. */
const patienceMs = 15_000;
/** Requests at a time: so many that it is reached only where nothing is answered. */
const mostUnderWay = 1_000;
const maximumText = 1_000;
const postedBody = 'an order of thirty-two octets...';

/** What a failed request comes to: `GET 502 upstream_unreachable`, `POST cut`, `GET 500`. */
export const nameOfFailure = ({ method, status, code, isCut }: RequestOutcome): string => {
  if (isCut || status === 0) return `${method} ${status === 0 ? 'no answer' : 'cut'}`;
  return `${method} ${status}${code === null ? '' : ` ${code}`}`;
};

export const hasFailed = ({ status, isCut }: RequestOutcome): boolean => isCut || status !== 200;

const codeOf = (response: IncomingMessage, text: string): string | null => {
  if (response.headers['content-type'] !== 'application/problem+json') return null;
  const { code } = JSON.parse(text) as { readonly code?: unknown };
  return typeof code === 'string' ? code : null;
};

/** Requests that begin at a steady rate on kept connections, whether or not those before them are answered. */
export class RequestLoad {
  readonly #options: RequestLoadOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #outcomes: RequestOutcome[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #begun = 0;

  constructor(options: RequestLoadOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#begin(), 1000 / options.perSecond);
  }

  /** Of the requests that have ended, in the order of their ends. */
  get outcomes(): readonly RequestOutcome[] {
    return this.#outcomes;
  }

  /** Of those that began at this time or later. */
  since(beganMs: number, untilMs = Number.POSITIVE_INFINITY): readonly RequestOutcome[] {
    return this.#outcomes.filter((outcome) => outcome.beganMs >= beganMs && outcome.beganMs < untilMs);
  }

  /** Resolves when every request that has begun up to now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.settled();
    this.#agent.destroy();
  }

  /** What a pause of the machine has kept from beginning is not made up for: the rate is never exceeded. */
  #begin(): void {
    if (this.#underWay.size >= mostUnderWay) return;
    const ending = this.#send(this.#begun).then((outcome) => {
      this.#underWay.delete(ending);
      this.#outcomes.push(outcome);
    });
    this.#underWay.add(ending);
    this.#begun += 1;
  }

  #send(id: number): Promise<RequestOutcome> {
    const { port, path, methods, headers = {} } = this.#options;
    const method = methods[id % methods.length] as string;
    const beganMs = performance.now();
    return new Promise((resolve) => {
      const end = (response: IncomingMessage | null, text: string, isCut: boolean): void =>
        resolve({
          id,
          method,
          beganMs,
          endedMs: performance.now(),
          status: response?.statusCode ?? 0,
          code: response === null || isCut ? null : codeOf(response, text),
          isCut,
          hasRetryAfter: response?.headers['retry-after'] !== undefined,
          text,
        });
      const sent = request({
        host: '127.0.0.1',
        port,
        path: `${path}/${id}`,
        method,
        headers,
        agent: this.#agent,
        signal: AbortSignal.timeout(patienceMs),
      });
      sent.on('error', () => end(null, '', true));
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          if (text.length < maximumText) text += piece;
        });
        response.on('error', () => end(response, text, true));
        response.on('end', () => end(response, text, false));
      });
      sent.end(method === 'POST' ? postedBody : undefined);
    });
  }
}

/** How many requests failed in which way: by `nameOfFailure`. */
export const failuresOf = (outcomes: readonly RequestOutcome[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    if (!hasFailed(outcome)) continue;
    const name = nameOfFailure(outcome);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};
