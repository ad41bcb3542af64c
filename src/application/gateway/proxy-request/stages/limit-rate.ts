import type { RateLimits } from '../../../../domain/gateway/configuration/rate-limit-options.js';
import {
  type AppliedRateLimit,
  appliedRateLimits,
  bucketKey,
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
import type { RateJudgement, RateLimiter } from '../../limit-rate/rate-limiter.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { StageExchange, StageOf, StageOutcome } from '../exchange.js';
import type { IdentityHeaderFilter } from '../identity-header-filter.js';

export interface LimitRateDependencies {
  readonly limiter: RateLimiter;
  readonly digest: SecretDigest;
  readonly problems: ProblemAnswerer;
  readonly metrics: Pick<GatewayMetrics, 'rateLimitExceeded'>;
}

type ChargeStage = StageOf<'target' | 'forwarded', 'rateLimitFields'>;
type ChargedExchange = StageExchange<'target' | 'forwarded', 'rateLimitFields'>;

/** The stages that charge the requests of a route; null: nothing is charged there. */
export interface RateStages {
  /** After the headers are prepared, before everything that costs more. */
  readonly beforeAgents: ChargeStage | null;
  /** After the agents have set their headers. */
  readonly afterAgents: ChargeStage | null;
}

/** 128 bits of a digest, so that no two texts share a bucket. */
const digestLength = 32;

/**
 * The stages that apply the rate limits of a route. All limits are charged at once, and a refusal charges none. A
 * policy that counts by a header of the agents is charged after them: before them the header is empty.
 *
 * @param identity null: the route has no agents
 */
export const limitRouteRate = (
  rates: RateLimits,
  route: LimitedRoute,
  identity: IdentityHeaderFilter | null,
  dependencies: LimitRateDependencies,
): RateStages => {
  const limits = appliedRateLimits(rates, route);
  if (limits.length === 0) return { beforeAgents: null, afterAgents: null };
  const key = route.policy?.key;
  if (identity === null || key?.kind !== 'header') {
    return { beforeAgents: charge(limits, dependencies), afterAgents: null };
  }
  const isPolicy = ({ name }: AppliedRateLimit): boolean => name === 'route-policy';
  const chargeAll = charge(limits, dependencies);
  const chargeOthers = charge(
    limits.filter((limit) => !isPolicy(limit)),
    dependencies,
  );
  const chargePolicy = charge(limits.filter(isPolicy), dependencies);
  // The headers that agents own can change meanwhile: each request is charged once all the same.
  const owing = new WeakSet<ChargedExchange>();
  return {
    beforeAgents: (exchange) => {
      if (!isOwned(identity.current(), key.name)) return chargeAll(exchange);
      owing.add(exchange);
      return chargeOthers(exchange);
    },
    afterAgents: (exchange) => (owing.delete(exchange) ? chargePolicy(exchange) : 'continue'),
  };
};

/** The stage for requests without a route; null: no rate applies to them. */
export const limitUnroutedRate = (rates: RateLimits, dependencies: LimitRateDependencies): ChargeStage | null => {
  const limits = appliedRateLimits(rates, null);
  return limits.length === 0 ? null : charge(limits, dependencies);
};

interface ChargedLimits {
  readonly limits: readonly AppliedRateLimit[];
  /** What clients are told of requests that pay, by what each limit has left. */
  readonly takenFields: (left: readonly number[]) => HeaderList;
}

/** What every request pays for a limit; null: whose bucket it is differs from request to request. */
const sameForAll = ({ space, key, limit }: AppliedRateLimit): RateLimitCharge | null =>
  key.kind === 'everybody' || key.kind === 'route' ? { space, key: '', limit } : null;

const charge = (limits: readonly AppliedRateLimit[], dependencies: LimitRateDependencies): ChargeStage => {
  if (limits.length === 0) return () => 'continue';
  const { limiter, digest } = dependencies;
  const header = limits.map(({ key }) => (key.kind === 'header' ? key.name : null)).find((name) => name !== null);
  const shortened = (text: string): string => digest.sha256Hex(text).slice(0, digestLength);
  const charged: ChargedLimits = { limits, takenFields: takenRateLimitFields(limits) };
  const prepared = limits.map(sameForAll);
  return (exchange) => {
    const subject = {
      clientAddress: exchange.client.address,
      path: exchange.target.path,
      headerValue: header === undefined ? null : joinedHeader(exchange.forwarded.headers, header),
    };
    const charges: RateLimitCharge[] = [];
    for (let index = 0; index < limits.length; index += 1) {
      const applied = limits[index] as AppliedRateLimit;
      const same = prepared[index] as RateLimitCharge | null;
      charges.push(same ?? { space: applied.space, key: bucketKey(applied, subject, shortened), limit: applied.limit });
    }
    const judgement = limiter.take(charges);
    if (!(judgement instanceof Promise)) return settled(exchange, charged, judgement, dependencies);
    return judgement.then((late) => (exchange.abandoned ? 'ended' : settled(exchange, charged, late, dependencies)));
  };
};

/** Null where there is none. */
const joinedHeader = (headers: HeaderList, lowerName: string): string | null => {
  const values = allHeaders(headers, lowerName);
  return values.length === 0 ? null : values.join(', ');
};

const tell = (exchange: ChargedExchange, fields: HeaderList): void => {
  const before = exchange.rateLimitFields;
  exchange.rateLimitFields = before.length === 0 ? fields : [...before, ...fields];
};

const settled = (
  exchange: ChargedExchange,
  { limits, takenFields }: ChargedLimits,
  judgement: RateJudgement,
  { problems, metrics }: LimitRateDependencies,
): StageOutcome => {
  if (judgement.kind === 'taken') {
    tell(exchange, takenFields(judgement.left));
    return 'continue';
  }
  if (judgement.kind === 'unjudged') {
    if (judgement.isLetThrough) return 'continue';
    return problems.answer(exchange, 'rate_limit_unavailable', 'What the rate limits count cannot be read.');
  }
  const { refusedBy } = judgement;
  const told: AdvertisedRateLimit[] = [];
  for (let index = 0; index < limits.length; index += 1) {
    const { name, limit, isTold } = limits[index] as AppliedRateLimit;
    if (!isTold && index !== refusedBy) continue;
    const waitMs = index === refusedBy ? judgement.waitMs : null;
    told.push({ name, limit, left: judgement.left[index] as number, waitMs });
  }
  tell(exchange, rateLimitFields(told));
  const { setting, limit } = limits[refusedBy] as AppliedRateLimit;
  const { requestsPerSecond, burst } = limit;
  metrics.rateLimitExceeded(setting);
  return problems.answer(
    exchange,
    'rate_limited',
    `${setting} is ${requestsPerSecond} requests a second.`,
    // All that the bucket gives at once is gone; with this request it would have given one more.
    { limit: requestsPerSecond, limit_name: setting, burst, actual: burst + 1 },
    ['Retry-After', retryAfter(judgement.waitMs)],
  );
};
