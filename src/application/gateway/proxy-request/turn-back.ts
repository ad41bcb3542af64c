import type {
  RouteConfiguration,
  UpstreamConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { CompiledRewrite } from '../../../domain/gateway/route-transforms/path-rewrite.js';
import { turnedBackHead } from '../../../domain/gateway/route-transforms/turned-back-head.js';
import { upstreamAuthorities } from '../../../domain/gateway/route-transforms/upstream-authorities.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import type { ExchangeView } from './exchange.js';

type TurnedBackExchange = ExchangeView<'client' | 'forwarded' | 'request' | 'target'>;

/** Turns back the head of an upstream's response, before agents and other rules see it. */
export type ResponseTurnBack = (headers: HeaderList, exchange: TurnedBackExchange) => HeaderList;

const forwardedPathOf = ({ forwarded, target }: TurnedBackExchange): string => {
  if (forwarded.target === null) return target.path;
  const mark = forwarded.target.indexOf('?');
  return mark < 0 ? forwarded.target : forwarded.target.slice(0, mark);
};

/** Turns back what a route and its upstream change; null: they change nothing, or the route keeps it. */
export const responseTurnBack = (
  { policies }: RouteConfiguration,
  upstream: UpstreamConfiguration,
  rewrite: CompiledRewrite | null,
): ResponseTurnBack | null => {
  if (!policies.path.turnsBack) return null;
  if (rewrite === null && upstream.hostHeader.kind === 'preserve') return null;
  const rules = { path: rewrite?.turnBack ?? null, names: upstreamAuthorities(upstream) };
  return (headers, exchange) => {
    const { client, request, target } = exchange;
    const received = target.authority === '' ? null : target.authority;
    return turnedBackHead(headers, rules, {
      path: target.path,
      forwardedPath: forwardedPathOf(exchange),
      scheme: client.scheme ?? request.connection.scheme,
      authority: client.host ?? received,
      receivedAuthority: received,
    });
  };
};

/** The response with its head turned back. */
export const turnedBackResponse = (
  response: UpstreamResponse,
  exchange: TurnedBackExchange,
  turnBack: ResponseTurnBack,
): UpstreamResponse => {
  const headers = turnBack(response.headers, exchange);
  if (headers === response.headers) return response;
  const { status, body, isBodyLate, tunnel } = response;
  return { status, headers, received: null, body, isBodyLate, tunnel };
};
