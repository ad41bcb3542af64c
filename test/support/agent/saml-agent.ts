import { inflateRawSync } from 'node:zlib';
import type { AgentClient } from '../../../src/application/ports/gateway/agent-client.js';
import type { MaybePromise } from '../../../src/application/ports/shared/maybe-promise.js';
import type { AgentAnswer, AgentEvent } from '../../../src/domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../src/domain/http/header-list.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { chunkEvent } from '../shared/agent-events.js';
import { acsUrl, idpEntityId, posted, redirected, redirectQuery, spEntityId } from './saml-documents.js';
import type { SamlKey } from './saml-keys.js';
import { requestEvent } from './test-agent.js';

/** An agent that anything can be asked of. */
export type Judge = (event: AgentEvent) => MaybePromise<AgentAnswer>;

export const judgeOf =
  (client: AgentClient): Judge =>
  async (event) => {
    const outcome = await client.ask(event);
    if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.detail}`);
    return outcome.value;
  };

/** A configuration with single sign-on at the identity provider of the tests. */
export const samlConfig = (certificateFile: string, saml: JsonObject = {}, config: JsonObject = {}): JsonObject => ({
  ...config,
  saml: {
    enabled: true,
    'entity-id': spEntityId,
    'acs-url': acsUrl,
    'idp-entity-id': idpEntityId,
    'idp-sso-url': 'https://idp.example/sso',
    'idp-slo-url': 'https://idp.example/slo',
    'idp-cert-file': certificateFile,
    'attribute-mapping': { department: 'X-Department', groups: 'X-Groups' },
    ...saml,
  },
});

/** What a client gets of an answer. */
export interface Reply {
  /** 200 of the upstream where the agent allows the request. */
  readonly status: number;
  readonly location: string | null;
  readonly body: string | null;
  readonly answer: AgentAnswer;
}

/** A message that went to the identity provider. */
export interface SentMessage {
  readonly id: string;
  readonly relayState: string;
}

const statusOf = ({ decision }: AgentAnswer): number => {
  if (decision.kind === 'allow') return 200;
  return decision.kind === 'challenge' ? 401 : decision.status;
};

let lastCall = 0;

/** A browser as far as the agent sees it: it keeps cookies, and posts forms in pieces. */
export class AgentBrowser {
  readonly #judge: Judge;
  readonly cookies = new Map<string, string>();

  constructor(judge: Judge) {
    this.#judge = judge;
  }

  get(uri: string, headers: HeaderList = ['accept', 'text/html'], method = 'GET'): Promise<Reply> {
    return this.#ask(method, uri, headers, null);
  }

  post(uri: string, fields: Readonly<Record<string, string>>): Promise<Reply> {
    const form = new URLSearchParams(fields).toString();
    const headers = ['content-type', 'application/x-www-form-urlencoded', 'content-length', String(form.length)];
    return this.#ask('POST', uri, headers, Buffer.from(form));
  }

  /** Asks for a page, and is sent to sign on. */
  async begin(uri = '/orders?page=2'): Promise<SentMessage> {
    return sentMessage(await this.get(uri));
  }

  /** Posts what the identity provider says. */
  respond(xml: string, relayState: string): Promise<Reply> {
    return this.post('/saml/acs', { SAMLResponse: posted(xml), ...(relayState !== '' && { RelayState: relayState }) });
  }

  async #ask(method: string, uri: string, headers: HeaderList, body: Uint8Array | null): Promise<Reply> {
    lastCall += 1;
    const id = `browser-${lastCall}`;
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const sent = cookie === '' ? headers : [...headers, 'cookie', cookie];
    let answer = await this.#judge({ ...requestEvent(sent, id), method, uri });
    if (answer.needsMore && body !== null) answer = await this.#send(id, body);
    for (const operation of answer.responseHeaders) {
      if (operation.kind !== 'remove' && operation.name === 'Set-Cookie') this.#keep(operation.value);
    }
    const { decision } = answer;
    return {
      status: statusOf(answer),
      location: decision.kind === 'redirect' ? decision.url : null,
      body: decision.kind === 'block' ? decision.body : null,
      answer,
    };
  }

  async #send(id: string, body: Uint8Array): Promise<AgentAnswer> {
    const middle = Math.floor(body.length / 2);
    const first = { data: body.subarray(0, middle), isLast: false, bytesReceived: middle };
    const wanted = await this.#judge(chunkEvent(id, first));
    if (!wanted.needsMore) return wanted;
    return this.#judge(chunkEvent(id, { data: body.subarray(middle), chunkIndex: 1, bytesReceived: body.length }));
  }

  #keep(setCookie: string): void {
    const [pair = '', ...attributes] = setCookie.split('; ');
    const name = pair.slice(0, pair.indexOf('='));
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(pair.indexOf('=') + 1));
  }
}

/** What a redirect brings to the identity provider. */
export const sentMessage = ({ location }: Reply): SentMessage => {
  const query = new URL(location ?? 'missing:').searchParams;
  const encoded = query.get('SAMLRequest') ?? query.get('SAMLResponse') ?? '';
  const xml = inflateRawSync(Buffer.from(encoded, 'base64')).toString();
  return { id: / ID="([^"]+)"/.exec(xml)?.[1] ?? '', relayState: query.get('RelayState') ?? '' };
};

/** The path and query by which the identity provider sends a message of its own. */
export const redirectedTo = (
  path: string,
  parameter: 'SAMLRequest' | 'SAMLResponse',
  xml: string,
  key: SamlKey | null,
  relayState: string | null = null,
): string => `${path}?${redirectQuery(parameter, redirected(xml, { parameter, key, relayState }))}`;
