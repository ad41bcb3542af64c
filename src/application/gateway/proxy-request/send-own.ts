import type { HeaderList } from '../../../domain/http/header-list.js';
import type { AnswerableExchange, ResponseSource } from './exchange.js';

/** Applies the response rules of an exchange to a response head. */
export const withResponseRules = (
  exchange: AnswerableExchange,
  headers: HeaderList,
  source: ResponseSource,
): HeaderList => {
  let fields = headers;
  for (const rule of exchange.responseRules) fields = rule(fields, exchange, source);
  return fields;
};

/** Sends a whole response of the gateway or of an agent. All such responses pass this function. */
export const sendOwn = (
  exchange: AnswerableExchange,
  status: number,
  headers: HeaderList,
  body: string | null,
  close: boolean,
): void => exchange.response.send(status, withResponseRules(exchange, headers, 'gateway'), body, close);
