import type { RateLimits } from '../../../../domain/gateway/configuration/rate-limit-options.js';
import {
  type AppliedRateLimit,
  appliedRateLimits,
  bucketKey,
  bucketSpace,
  type LimitedRoute,
} from '../../../../domain/gateway/rate-limiting/applied-rate-limit.js';
import {
  type AdvertisedRateLimit,
  rateLimitFields,
  retryAfter,
  takenRateLimitFields,
} from '../../../../domain/gateway/rate-limiting/rate-limit-fields.js';
import { allHeaders, type HeaderList } from '../../../../domain/http/header-list.js';
import { isOwned } from '../../../../domain/http/owned-headers.js';
import type { GatewayMetrics } from '../../../ports/gateway/gateway-metrics.js';
import type { RateLimitCharge } from '../../../ports/shared/rate-limit-store.js';
import type { SecretDigest } from '../../../ports/shared/secret-digest.js';
import type { RateDecision, RateLimiter } from '../../limit-rate/rate-limiter.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { StageExchange, StageOf, StageOutcome } from '../exchange.js';
import type { IdentityHeaderFilter } from './prepare-headers.js';

export interface RateLimitServices {
  readonly limiter: RateLimiter;
  readonly digest: SecretDigest;
  readonly problems: ProblemAnswerer;
  readonly metrics: Pick<GatewayMetrics, 'rateLimitExceeded'>;
}

type ChargeStage = StageOf<'target' | 'forwarded', 'rateLimitFields'>;
type ChargedExchange = StageExchange<'target' | 'forwarded', 'rateLimitFields'>;

/** The stages that charge the requests of a route; null: that stage charges nothing. */
export interface RateStages {
  /** Runs after the headers are prepared, before more expensive stages. */
  readonly beforeAgents: ChargeStage | null;
  /** Runs after the agents have set their headers. */
  readonly afterAgents: ChargeStage | null;
}

/** Hexadecimal digits of a digest that a bucket key holds: 128 bits, so that texts do not share a bucket. */
const digestLength = 32;

/** What agents contribute to the bucket of a request. */
export interface RateLimitIdentity {
  /** Removes what clients must not send. */
  readonly filter: IdentityHeaderFilter;
  /** In lower case, in the order of the agents. The first with a value holds the user id. */
  readonly userIdHeaders: readonly string[];
}

/**
 * The stages that apply the rate limits of a route. A stage charges all its limits at once, and a refusal charges none.
 * A policy whose key is the user or a header that agents set is charged after them, because both are empty before.
 *
 * @param identity of the route's agents; null: the route has no agents
 */
export const limitRouteRate = (
  rates: RateLimits,
  route: LimitedRoute,
  identity: RateLimitIdentity | null,
  services: RateLimitServices,
): RateStages => {
  const limits = appliedRateLimits(rates, route);
  if (limits.length === 0) return { beforeAgents: null, afterAgents: null };
  const key = route.policy?.key;
  if (identity === null || (key?.kind !== 'header' && key?.kind !== 'user')) {
    return { beforeAgents: charge(limits, services), afterAgents: null };
  }
  const isPolicy = ({ name }: AppliedRateLimit): boolean => name === 'route-policy';
  const others = limits.filter((limit) => !isPolicy(limit));
  const chargeOthers = charge(others, services);
  const chargePolicy = charge(limits.filter(isPolicy), services, identity.userIdHeaders);
  if (key.kind === 'user')
    return { beforeAgents: others.length === 0 ? null : chargeOthers, afterAgents: chargePolicy };
  const chargeAll = charge(limits, services);
  // The headers that agents own can change meanwhile; still, each request must be charged once.
  const owing = new WeakSet<ChargedExchange>();
  return {
    beforeAgents: (exchange) => {
      if (!isOwned(identity.filter.current(), key.name)) return chargeAll(exchange);
      owing.add(exchange);
      return chargeOthers(exchange);
    },
    afterAgents: (exchange) => (owing.delete(exchange) ? chargePolicy(exchange) : 'continue'),
  };
};

/** The stage for requests without a route; null: no rate limit applies to them. */
export const limitUnroutedRate = (rates: RateLimits, services: RateLimitServices): ChargeStage | null => {
  const limits = appliedRateLimits(rates, null);
  return limits.length === 0 ? null : charge(limits, services);
};

interface ChargedLimits {
  readonly limits: readonly AppliedRateLimit[];
  /** The response fields of a request that passes, from the remaining tokens of each limit. */
  readonly takenFields: (left: readonly number[]) => HeaderList;
}

/** The charge that is the same for all requests of a limit; null: the bucket depends on the request. */
const sharedCharge = ({ space, key, limit }: AppliedRateLimit): RateLimitCharge | null =>
  key.kind === 'everybody' || key.kind === 'route' ? { space, key: '', limit } : null;

const charge = (
  limits: readonly AppliedRateLimit[],
  services: RateLimitServices,
  userIdHeaders: readonly string[] = [],
): ChargeStage => {
  if (limits.length === 0) return () => 'continue';
  const { limiter, digest } = services;
  const header = limits.map(({ key }) => (key.kind === 'header' ? key.name : null)).find((name) => name !== null);
  const userHeaders = limits.some((limit) => limit.key.kind === 'user') ? userIdHeaders : null;
  const shortened = (text: string): string => digest.sha256Hex(text).slice(0, digestLength);
  const charged: ChargedLimits = { limits, takenFields: takenRateLimitFields(limits) };
  const prepared = limits.map(sharedCharge);
  return (exchange) => {
    const subject = {
      clientAddress: exchange.client.address,
      path: exchange.target.path,
      headerValue: header === undefined ? null : joinedHeader(exchange.forwarded.headers, header),
      userId: userHeaders === null ? null : userIdOf(exchange.forwarded.headers, userHeaders),
    };
    const charges: RateLimitCharge[] = [];
    for (let index = 0; index < limits.length; index += 1) {
      const applied = limits[index] as AppliedRateLimit;
      const same = prepared[index] as RateLimitCharge | null;
      charges.push(
        same ?? {
          space: bucketSpace(applied, subject),
          key: bucketKey(applied, subject, shortened),
          limit: applied.limit,
        },
      );
    }
    const decision = limiter.take(charges);
    if (!(decision instanceof Promise)) return settled(exchange, charged, decision, services);
    return decision.then((late) => (exchange.abandoned ? 'ended' : settled(exchange, charged, late, services)));
  };
};

/** All values of a header, as one; null: it is absent. */
const joinedHeader = (headers: HeaderList, lowerName: string): string | null => {
  const values = allHeaders(headers, lowerName);
  return values.length === 0 ? null : values.join(', ');
};

/** The user id that agents have set; null: none. An id without a visible character is none. */
const userIdOf = (headers: HeaderList, lowerNames: readonly string[]): string | null => {
  for (const name of lowerNames) {
    const value = joinedHeader(headers, name);
    if (value !== null && value.trim() !== '') return value;
  }
  return null;
};

const addFields = (exchange: ChargedExchange, fields: HeaderList): void => {
  const before = exchange.rateLimitFields;
  exchange.rateLimitFields = before.length === 0 ? fields : [...before, ...fields];
};

const settled = (
  exchange: ChargedExchange,
  { limits, takenFields }: ChargedLimits,
  decision: RateDecision,
  { problems, metrics }: RateLimitServices,
): StageOutcome => {
  if (decision.kind === 'taken') {
    addFields(exchange, takenFields(decision.left));
    return 'continue';
  }
  if (decision.kind === 'undecided') {
    if (decision.isAllowed) return 'continue';
    return problems.answer(exchange, 'rate_limit_unavailable', 'The rate-limit store is unavailable.');
  }
  const { refusedBy } = decision;
  const advertised: AdvertisedRateLimit[] = [];
  for (let index = 0; index < limits.length; index += 1) {
    const { name, limit, isAdvertised } = limits[index] as AppliedRateLimit;
    if (!isAdvertised && index !== refusedBy) continue;
    const waitMs = index === refusedBy ? decision.waitMs : null;
    advertised.push({ name, limit, left: decision.left[index] as number, waitMs });
  }
  addFields(exchange, rateLimitFields(advertised));
  const { setting, limit } = limits[refusedBy] as AppliedRateLimit;
  const { requestsPerSecond, burst } = limit;
  metrics.rateLimitExceeded(setting);
  return problems.answer(
    exchange,
    'rate_limited',
    `${setting} is ${requestsPerSecond} requests per second.`,
    // The bucket is empty: this request would be one more than the burst.
    { limit: requestsPerSecond, limit_name: setting, burst, actual: burst + 1 },
    ['Retry-After', retryAfter(decision.waitMs)],
  );
};
