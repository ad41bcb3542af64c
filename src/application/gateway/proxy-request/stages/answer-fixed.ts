import type { FixedResponse } from '../../../../domain/gateway/route-transforms/fixed-response.js';
import { type RedirectRule, renderedRedirect } from '../../../../domain/gateway/route-transforms/redirect.js';
import { correlationIdHeader } from '../../../../domain/http/correlation-id.js';
import { type HeaderList, withHeader } from '../../../../domain/http/header-list.js';
import { type ProblemAnswerer, sendError } from '../answer-problem.js';
import type { StageExchange, StageOf, StageOutcome } from '../exchange.js';
import { placeholdersOf } from '../placeholder-values.js';
import { withResponseOperations } from '../relay-response.js';
import { sendOwn } from '../send-own.js';

type AnsweredExchange = StageExchange<'agents'>;

/** Longest body that a gRPC client gets as its message. */
const maxMessageLength = 200;

const grpcMessage = (status: number, body: string): string =>
  body === '' || body.length > maxMessageLength ? `The gateway answers with the status ${status}.` : body;

/** Sends a response that the configuration determines. An error for a gRPC client becomes a gRPC status. */
const answer = (exchange: AnsweredExchange, status: number, headers: HeaderList, body: string): StageOutcome => {
  exchange.outcome.status = status;
  if (exchange.abandoned) return 'ended';
  const { agents, close, correlationId, rateLimitFields } = exchange;
  const changed = withResponseOperations(headers, agents.responseOperations);
  const all = withHeader([...changed, ...rateLimitFields], correlationIdHeader, correlationId);
  if (status < 400) sendOwn(exchange, status, all, body, close);
  else sendError(exchange, { headers: all, body, title: null, message: grpcMessage(status, body), close });
  return 'ended';
};

/** Sends the client to another URL. A request without a usable host gets 400 if the redirect needs its host. */
export const answerRedirect =
  ({ to, status }: RedirectRule, problems: ProblemAnswerer): StageOf<'agents'> =>
  (exchange) => {
    const location = renderedRedirect(to, placeholdersOf(exchange));
    if (location === null) {
      return problems.answer(exchange, 'invalid_host', 'The redirect needs the host of the request.');
    }
    return answer(exchange, status, ['Location', location], '');
  };

/** Answers with the response of the configuration. `body` is its text, or that of its file. */
export const answerFixed = ({ status, contentType }: FixedResponse, body: string): StageOf<'agents'> => {
  const headers: HeaderList = contentType === null ? [] : ['Content-Type', contentType];
  return (exchange) => answer(exchange, status, headers, body);
};
