import { type AgentAnswer, type AgentDecision, allowAnswer } from '../../../domain/agent-protocol/messages.js';

/** What becomes of the chunk that is answered; null: it goes on as it is. */
export type ChunkChange = Uint8Array | null;

/** What an agent answers. It never changes: each method gives another one with something added. */
export class Answer {
  readonly #answer: AgentAnswer;
  /** What is put in place of the chunk that is answered; empty drops it. */
  readonly chunk: ChunkChange;

  constructor(answer: AgentAnswer, chunk: ChunkChange = null) {
    this.#answer = answer;
    this.chunk = chunk;
  }

  /** The answer as it is sent, but for the chunk. */
  get message(): AgentAnswer {
    return this.#answer;
  }

  /** Sets a header of the request on its way to the upstream; every field of that name goes. */
  setRequestHeader(name: string, value: string): Answer {
    return this.#with({ requestHeaders: [...this.#answer.requestHeaders, { kind: 'set', name, value }] });
  }

  /** Adds a header field to the request. */
  addRequestHeader(name: string, value: string): Answer {
    return this.#with({ requestHeaders: [...this.#answer.requestHeaders, { kind: 'add', name, value }] });
  }

  removeRequestHeader(name: string): Answer {
    return this.#with({ requestHeaders: [...this.#answer.requestHeaders, { kind: 'remove', name }] });
  }

  /** Sets a header of the response on its way to the client, whoever makes the response. */
  setResponseHeader(name: string, value: string): Answer {
    return this.#with({ responseHeaders: [...this.#answer.responseHeaders, { kind: 'set', name, value }] });
  }

  addResponseHeader(name: string, value: string): Answer {
    return this.#with({ responseHeaders: [...this.#answer.responseHeaders, { kind: 'add', name, value }] });
  }

  removeResponseHeader(name: string): Answer {
    return this.#with({ responseHeaders: [...this.#answer.responseHeaders, { kind: 'remove', name }] });
  }

  /**
   * Puts something else in place of the chunk that is answered; nothing drops it. Not over gRPC, which has no word
   * for it.
   */
  replaceChunk(data: Uint8Array): Answer {
    return new Answer(this.#answer, data);
  }

  /** Words for whoever reads the gateway's records; never a secret. */
  tag(...tags: readonly string[]): Answer {
    return this.#with({ audit: { ...this.#answer.audit, tags: [...this.#answer.audit.tags, ...tags] } });
  }

  /** Codes of the reasons; never a secret. */
  because(...reasonCodes: readonly string[]): Answer {
    const { audit } = this.#answer;
    return this.#with({ audit: { ...audit, reasonCodes: [...audit.reasonCodes, ...reasonCodes] } });
  }

  #with(changes: Partial<AgentAnswer>): Answer {
    return new Answer({ ...this.#answer, ...changes }, this.chunk);
  }
}

const allowed = new Answer(allowAnswer);
const needing = new Answer({ ...allowAnswer, needsMore: true });

const decided = (decision: AgentDecision): Answer => new Answer({ ...allowAnswer, decision });

/** It may go on. */
export const allow = (): Answer => allowed;

/** It may not be decided yet: the gateway holds the message and sends its body, piece by piece. */
export const needBody = (): Answer => needing;

/**
 * The gateway answers in place of the upstream. Any status from 200 to 599 will do: that is how an agent answers
 * itself.
 *
 * @param headers names and values; `Set-Cookie` twice takes `addResponseHeader`
 */
export const blockAnswer = (
  status: number,
  body: string | null = null,
  headers: Readonly<Record<string, string>> = {},
): Answer => decided({ kind: 'block', status, body, headers: Object.entries(headers).flat() });

/** The client is sent elsewhere. */
export const redirect = (url: string, status = 302): Answer => decided({ kind: 'redirect', url, status });

/** 401 with `WWW-Authenticate: <type> <params>` (RFC 9110, section 11.6.1). */
export const challenge = (challengeType: string, params: Readonly<Record<string, string>> = {}): Answer =>
  decided({ kind: 'challenge', challengeType, params });
