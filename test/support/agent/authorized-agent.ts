import type { AgentAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../src/domain/http/header-list.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import type { LogLine } from '../shared/recording-logger.js';
import { type AgentServiceOverrides, requestEvent, startedTestAgent, type TestAgent } from './test-agent.js';
import { signToken } from './test-tokens.js';

const secret = 'a secret that is longer than thirty-two bytes';

/** Headers with a token of these claims. */
export const bearer = (claims: JsonObject): HeaderList => [
  'authorization',
  `Bearer ${signToken('HS256', secret, { exp: 1_800_000_300, ...claims })}`,
];
export const apiKey: HeaderList = ['x-api-key', 'key-1'];
export const basic: HeaderList = ['authorization', `Basic ${Buffer.from('ann:password').toString('base64')}`];

export interface AskedRequest {
  readonly headers?: HeaderList;
  readonly method?: string;
  readonly uri?: string;
  readonly clientIp?: string;
  readonly correlationId?: string;
}

export interface AuthorizedAgent extends TestAgent {
  answer(request: AskedRequest): Promise<AgentAnswer>;
  /** `allow`, or the status and the reasons of a refusal. */
  outcome(request: AskedRequest): Promise<string>;
  /** Lines of decisions. */
  decisions(): readonly LogLine['fields'][];
  counted(name: string): Readonly<Record<string, number>>;
}

/** Methods that every agent of these tests has: tokens, the API key of `reports`, and the user `ann`. */
const methods: JsonObject = {
  'jwt-secret': secret,
  'api-keys': 'key-1:reports',
  'basic-auth-users': 'ann:password',
};

/** A started agent with an `authz` block; a text stands for policies in place. */
export const authorizedAgent = async (
  authz: string | JsonObject,
  more: JsonObject = {},
  swapped: AgentServiceOverrides = {},
): Promise<AuthorizedAgent> => {
  const block = typeof authz === 'string' ? { 'policy-inline': authz } : authz;
  const made = await startedTestAgent({ ...methods, authz: { enabled: true, ...block }, ...more }, swapped);
  const answer = async ({ headers = [], method, uri, clientIp, correlationId }: AskedRequest) => {
    const event = requestEvent(headers, correlationId);
    return made.agent.decide(
      {
        ...event,
        ...(method !== undefined && { method }),
        ...(uri !== undefined && { uri }),
        metadata: { ...event.metadata, ...(clientIp !== undefined && { clientIp }) },
      },
      Symbol('connection'),
    );
  };
  return {
    ...made,
    answer,
    outcome: async (request) => {
      const { decision, audit } = await answer(request);
      return decision.kind === 'block' ? `${decision.status} ${audit.reasonCodes.join()}` : decision.kind;
    },
    decisions: () =>
      made.logger.lines.filter(({ message }) => message === 'authorization decided').map(({ fields }) => fields),
    counted: (name) =>
      Object.fromEntries(
        made.agent
          .metrics()
          .counters.filter((counter) => counter.name === name)
          .map(({ labels, value }) => [Object.values(labels).join(), value]),
      ),
  };
};
