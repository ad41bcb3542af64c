import { randomUUID } from 'node:crypto';
import type { AgentAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { firstHeader, type HeaderList } from '../../../src/domain/http/header-list.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { chunkEvent } from '../shared/agent-events.js';
import { basicOf, exchangeGrant, type FormFields, formText, tokenType } from './exchange-company.js';
import type { Judge } from './saml-agent.js';
import { requestEvent } from './test-agent.js';
import { signToken } from './test-tokens.js';

export const tokenIssuer = 'https://gateway.example';
export const tokenUrl = `${tokenIssuer}/token/exchange`;

/** Of the JWT settings of the agent: who has it makes subject tokens. */
export const subjectSecret = 'the secret that subject tokens are signed with, long enough';
export const deskSecret = 'the secret of the front desk, which is long';

export const allowed = (subject: string, issued = 'access_token'): JsonObject => ({
  'subject-token-type': subject,
  'issued-token-type': issued,
});

/** A configuration with token exchange for the client `desk`. */
export const exchangeConfig = (
  signingKeyFiles: readonly string[],
  exchange: JsonObject = {},
  config: JsonObject = {},
): JsonObject => ({
  'jwt-secret': subjectSecret,
  ...config,
  'token-exchange': {
    enabled: true,
    issuer: tokenIssuer,
    'signing-key-file': signingKeyFiles,
    'signing-algorithm': 'ES256',
    'allowed-exchanges': [allowed('jwt'), allowed('access_token')],
    clients: { client: { name: 'desk', secret: deskSecret, 'allowed-audiences': ['orders'] } },
    ...exchange,
  },
});

/** A token for the agent, of ann; `nowSecs` as the agent's clock has it. */
export const subjectToken = (nowSecs: number, claims: Readonly<Record<string, unknown>> = {}): string =>
  signToken('HS256', subjectSecret, { sub: 'ann', exp: nowSecs + 300, scope: 'read write', ...claims });

/** What a client gets of an answer. */
export interface OAuthReply {
  /** 200 of the upstream where the agent allows the request. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: HeaderList;
  readonly answer: AgentAnswer;
}

const replyOf = (answer: AgentAnswer): OAuthReply => {
  const { decision } = answer;
  if (decision.kind !== 'block') return { status: 200, body: {}, headers: [], answer };
  const { status, body, headers } = decision;
  return { status, body: JSON.parse(body ?? '{}') as Record<string, unknown>, headers, answer };
};

export const oauthHeader = ({ headers }: OAuthReply, name: string): string | null => firstHeader(headers, name) ?? null;

/** How a form is sent. */
export interface Sending {
  /** Octets of each piece but the last; 0: the form is one piece. */
  readonly pieceOctets?: number;
  /** Null: the client shows no credentials. */
  readonly authorization?: string | null;
  readonly path?: string;
}

/** A client of the token endpoint, as far as the agent sees it. */
export class TokenClient {
  readonly #judge: Judge;

  constructor(judge: Judge) {
    this.#judge = judge;
  }

  async get(uri: string): Promise<OAuthReply> {
    return replyOf(await this.#judge({ ...requestEvent([], randomUUID()), uri }));
  }

  /** Asks for a token for `orders` in exchange for this one, as `desk`. */
  exchange(token: string, fields: FormFields = {}, sending: Sending = {}): Promise<OAuthReply> {
    return this.post(
      {
        grant_type: exchangeGrant,
        subject_token: token,
        subject_token_type: tokenType('jwt'),
        audience: 'orders',
        ...fields,
      },
      sending,
    );
  }

  async post(fields: FormFields, sending: Sending = {}): Promise<OAuthReply> {
    const { pieceOctets = 0, authorization = basicOf('desk', deskSecret), path = '/token/exchange' } = sending;
    const id = randomUUID();
    const shown = authorization === null ? [] : ['authorization', authorization];
    const headers = ['content-type', 'application/x-www-form-urlencoded', ...shown];
    const first = await this.#judge({ ...requestEvent(headers, id), method: 'POST', uri: path });
    return replyOf(first.needsMore ? await this.#send(id, Buffer.from(formText(fields)), pieceOctets) : first);
  }

  async #send(id: string, form: Uint8Array, pieceOctets: number): Promise<AgentAnswer> {
    const size = pieceOctets === 0 ? form.length : pieceOctets;
    for (let start = 0, index = 0; ; start += size, index += 1) {
      const end = Math.min(form.length, start + size);
      const piece = {
        data: form.subarray(start, end),
        chunkIndex: index,
        bytesReceived: end,
        isLast: end === form.length,
      };
      const answer = await this.#judge(chunkEvent(id, piece));
      if (piece.isLast || !answer.needsMore) return answer;
    }
  }
}
