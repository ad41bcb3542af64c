import { type AgentAnswer, type AgentDecision, allowAnswer } from '../../../domain/agent-protocol/messages.js';

/** The replacement of a chunk; null: the chunk is forwarded unchanged. */
export type ChunkChange = Uint8Array | null;

/** An agent's answer. Immutable: each method returns a new answer. */
export class Answer {
  readonly #answer: AgentAnswer;
  /** Replaces the chunk; empty drops it. */
  readonly chunk: ChunkChange;

  constructor(answer: AgentAnswer, chunk: ChunkChange = null) {
    this.#answer = answer;
    this.chunk = chunk;
  }

  /** The answer as sent, without the chunk. */
  get message(): AgentAnswer {
    return this.#answer;
  }

  /** Sets a header of the forwarded request, replacing all fields of that name. */
  setRequestHeader(name: string, value: string): Answer {
    return this.#with({ requestHeaders: [...this.#answer.requestHeaders, { kind: 'set', name, value }] });
  }

  /** Adds a header field to the forwarded request. */
  addRequestHeader(name: string, value: string): Answer {
    return this.#with({ requestHeaders: [...this.#answer.requestHeaders, { kind: 'add', name, value }] });
  }

  removeRequestHeader(name: string): Answer {
    return this.#with({ requestHeaders: [...this.#answer.requestHeaders, { kind: 'remove', name }] });
  }

  /** Sets a header of the response to the client, whether the upstream, an agent or the gateway makes it. */
  setResponseHeader(name: string, value: string): Answer {
    return this.#with({ responseHeaders: [...this.#answer.responseHeaders, { kind: 'set', name, value }] });
  }

  addResponseHeader(name: string, value: string): Answer {
    return this.#with({ responseHeaders: [...this.#answer.responseHeaders, { kind: 'add', name, value }] });
  }

  removeResponseHeader(name: string): Answer {
    return this.#with({ responseHeaders: [...this.#answer.responseHeaders, { kind: 'remove', name }] });
  }

  /** Replaces the chunk; empty data drops it. gRPC cannot carry this. */
  replaceChunk(data: Uint8Array): Answer {
    return new Answer(this.#answer, data);
  }

  /** Adds tags to the gateway's audit record. Must not contain secrets. */
  tag(...tags: readonly string[]): Answer {
    return this.#with({ audit: { ...this.#answer.audit, tags: [...this.#answer.audit.tags, ...tags] } });
  }

  /** Adds reason codes. Must not contain secrets. */
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

/** Allows the request or response. */
export const allow = (): Answer => allowed;

/** Postpones the decision: the gateway holds the message and sends its body in chunks. */
export const needBody = (): Answer => needing;

/**
 * The gateway answers instead of the upstream, with any status from 200 to 599.
 *
 * @param headers names and values; use `addResponseHeader` to set several cookies
 */
export const blockAnswer = (
  status: number,
  body: string | null = null,
  headers: Readonly<Record<string, string>> = {},
): Answer => decided({ kind: 'block', status, body, headers: Object.entries(headers).flat() });

/** Redirects the client. */
export const redirect = (url: string, status = 302): Answer => decided({ kind: 'redirect', url, status });

/** 401 with `WWW-Authenticate: <type> <params>` (RFC 9110, section 11.6.1). */
export const challenge = (challengeType: string, params: Readonly<Record<string, string>> = {}): Answer =>
  decided({ kind: 'challenge', challengeType, params });
