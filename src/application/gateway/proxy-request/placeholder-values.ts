import type { PlaceholderValues } from '../../../domain/gateway/route-transforms/placeholder-template.js';
import { firstHeader } from '../../../domain/http/header-list.js';
import type { ExchangeView } from './exchange.js';

/** The parts of an exchange that placeholders read. */
type DescribedExchange = ExchangeView<
  'client' | 'correlationId' | 'forwarded' | 'request' | 'route' | 'target' | 'upstream'
>;

/** The placeholder values of a request. Each is computed when a template uses it. */
class ExchangePlaceholders implements PlaceholderValues {
  readonly #exchange: DescribedExchange;

  constructor(exchange: DescribedExchange) {
    this.#exchange = exchange;
  }

  get client_ip(): string {
    return this.#exchange.client.address;
  }

  /** Without port. */
  get host(): string {
    return this.#exchange.target.host ?? '';
  }

  get method(): string {
    return this.#exchange.request.method;
  }

  /** As the client sent it, normalised. */
  get path(): string {
    return this.#exchange.target.path;
  }

  /** With its question mark; empty without a query. */
  get query(): string {
    const { query } = this.#exchange.target;
    return query === null ? '' : `?${query}`;
  }

  get path_query(): string {
    return this.path + this.query;
  }

  /** The scheme that the upstream sees in X-Forwarded-Proto. */
  get scheme(): string {
    const { client, request } = this.#exchange;
    return client.scheme ?? request.connection.scheme;
  }

  get correlation_id(): string {
    return this.#exchange.correlationId;
  }

  /** The user id that an agent of the route has set; empty before the agents answer. */
  get user_id(): string {
    const { forwarded, route } = this.#exchange;
    // Until the headers are prepared, these are those of the client.
    if (forwarded.identityNames === null) return '';
    for (const name of route?.userIdHeaders ?? []) {
      const value = firstHeader(forwarded.headers, name);
      if (value !== undefined && value !== '') return value;
    }
    return '';
  }

  get route(): string {
    return this.#exchange.route?.configuration.id ?? '';
  }

  get upstream(): string {
    return this.#exchange.upstream ?? '';
  }
}

/** The values of the placeholders for one exchange. */
export const placeholdersOf = (exchange: DescribedExchange): PlaceholderValues => new ExchangePlaceholders(exchange);
