import { isLasting } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { RepeatedHeaderCache } from '../../../domain/http/repeated-header-cache.js';
import type { Exchange } from './exchange.js';

/** What is known of the headers as they stand. */
const alikeOf = ({ alike, headers }: Exchange): RepeatedHeaderCache | null =>
  alike !== null && alike.fields === headers ? alike : null;

/**
 * What an answer makes of the headers of a request, where the very same was given to the request before on its connection, whose
 * headers were alike; null: that is to be found out. Only answers that allow, and that want nothing else, are remembered.
 */
export const answeredAgain = (exchange: Exchange, answer: AgentAnswer): RepeatedHeaderCache | null => {
  const alike = alikeOf(exchange);
  const { known } = exchange.request.connection;
  return alike === null || known === null ? null : known.operated(alike, answer);
};

/** Remembers what an answer that was found to be sound has made of the headers of a request, as they still stand. */
export const rememberAnswered = (exchange: Exchange, answer: AgentAnswer, operated: HeaderList): void => {
  const alike = alikeOf(exchange);
  if (alike === null || operated === alike.fields || !isLasting(answer)) return;
  exchange.request.connection.known?.rememberOperated(alike, answer, operated);
};
