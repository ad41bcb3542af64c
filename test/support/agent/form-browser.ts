import { foldAnswers } from '../../../src/domain/agent-protocol/answer-folding.js';
import { answerFault } from '../../../src/domain/agent-protocol/answer-rules.js';
import type { AgentAnswer, AgentEvent } from '../../../src/domain/agent-protocol/messages.js';
import { chunkEvent, headersEvent } from '../shared/agent-events.js';
import type { Judge } from './saml-agent.js';

/** What a browser and the upstream get of a request. */
export interface FormReply {
  /** 200 of the upstream where the agent allows the request. */
  readonly status: number;
  readonly location: string | null;
  /** The page of the agent. */
  readonly page: string;
  /** The body that the upstream gets; null: it gets no request. */
  readonly upstream: string | null;
  readonly answer: AgentAnswer;
}

export interface SentForm {
  readonly method?: string;
  readonly uri?: string;
  readonly body?: string | Uint8Array;
  /** Fields in place of those of a browser; null: none. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  /** Octets of each chunk; absent: one chunk. */
  readonly chunk?: number;
  /** In place of the cookies of the browser. */
  readonly cookie?: string;
  readonly clientIp?: string;
}

let lastCall = 0;

/** A browser that posts forms to an agent as Chromium does, and a gateway that inspects their bodies. */
export class FormBrowser {
  readonly #judge: Judge;
  readonly host: string;
  /** Shared with another driver of the same browser. */
  readonly cookies: Map<string, string>;
  /** As the client came to the gateway. */
  scheme = 'https';

  constructor(judge: Judge, cookies: Map<string, string>, host: string) {
    this.#judge = judge;
    this.cookies = cookies;
    this.host = host;
  }

  get(uri: string, more: SentForm = {}): Promise<FormReply> {
    const headers = { 'content-type': null, 'content-length': null, origin: null, ...more.headers };
    return this.send({ ...more, method: 'GET', uri, headers });
  }

  post(uri: string, body: string | Uint8Array, more: SentForm = {}): Promise<FormReply> {
    return this.send({ ...more, uri, body });
  }

  async send({ method = 'POST', uri = '/orders', body = '', headers = {}, ...more }: SentForm): Promise<FormReply> {
    lastCall += 1;
    const id = `form-${lastCall}`;
    const octets = typeof body === 'string' ? Buffer.from(body) : body;
    const origin = `${this.scheme}://${this.host}`;
    const cookie = more.cookie ?? Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const fields = {
      host: this.host,
      'x-forwarded-proto': this.scheme,
      'x-forwarded-host': this.host,
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'sec-fetch-user': '?1',
      origin,
      referer: `${origin}/forms/new?draft=1`,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(octets.length),
      cookie: cookie === '' ? null : cookie,
      ...headers,
    };
    const list = Object.entries(fields).flatMap(([name, value]) =>
      value === null ? [] : [value].flat().flatMap((each) => [name, each]),
    );
    const event = headersEvent(id, { method, uri, headers: list });
    const from = { ...event, metadata: { ...event.metadata, clientIp: more.clientIp ?? '192.0.2.7' } };
    const { answer, upstream } = await this.#asked(id, from, octets, more.chunk ?? Math.max(1, octets.length));
    for (const operation of answer.responseHeaders) {
      if (operation.kind !== 'remove' && operation.name === 'Set-Cookie') this.#keep(operation.value);
    }
    const { decision } = answer;
    return {
      status: decision.kind === 'allow' ? 200 : decision.kind === 'challenge' ? 401 : decision.status,
      location: decision.kind === 'redirect' ? decision.url : null,
      page: decision.kind === 'block' ? (decision.body ?? '') : '',
      upstream: decision.kind === 'allow' ? upstream : null,
      answer,
    };
  }

  async #asked(id: string, head: AgentEvent, octets: Uint8Array, size: number) {
    let answer = await this.#checked(head);
    const pieces: Uint8Array[] = [];
    let at = 0;
    for (let chunkIndex = 0; answer.needsMore; chunkIndex += 1) {
      const data = octets.subarray(at, at + size);
      at += data.length;
      const isLast = at >= octets.length;
      const given = await this.#checked(chunkEvent(id, { data, isLast, chunkIndex, bytesReceived: at }));
      pieces.push(given.requestBodyMutation?.data ?? data);
      answer = foldAnswers(answer, given);
    }
    pieces.push(octets.subarray(at));
    return { answer, upstream: Buffer.concat(pieces).toString() };
  }

  async #checked(event: AgentEvent): Promise<AgentAnswer> {
    const answer = await this.#judge(event);
    const fault = answerFault(answer, event);
    if (fault !== null) throw new Error(fault);
    return answer;
  }

  #keep(setCookie: string): void {
    const [pair = '', ...attributes] = setCookie.split('; ');
    const name = pair.slice(0, pair.indexOf('='));
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(pair.indexOf('=') + 1));
  }
}

/** The values of the buttons of a confirmation page. */
export const choicesOf = ({ page }: Pick<FormReply, 'page'>): { readonly send: string; readonly drop: string } => {
  const [send, drop] = [...page.matchAll(/name="portcullis-form" value="([^"]+)"/g)].map(([, value]) => value);
  if (send === undefined || drop === undefined) throw new Error(`no confirmation page: ${page}`);
  return { send: `portcullis-form=${send}`, drop: `portcullis-form=${drop}` };
};
