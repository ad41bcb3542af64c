import type { MetricsReport, ReportedHistogram, ReportedValue } from '../../domain/agent-protocol/metrics-report.js';
import type { AuthenticationFailure } from '../../domain/identity/authentication-failure.js';
import type { AuthenticationMethod } from '../../domain/identity/authentication-method.js';
import type { ExchangeReason } from '../../domain/token-exchange/exchange-refusal.js';
import type { ExchangeOutcomes } from '../exchange-token/exchange-facts.js';
import type { RefreshResult } from '../refresh-key-set/key-set.js';
import type { SignOnRefusal } from '../single-sign-on/sign-on-refusal.js';
import type { SignOnOutcomes } from '../single-sign-on/single-sign-on-parts.js';

type PolicyDecision = 'allow' | 'deny';

/** Upper bounds in seconds: a remembered token takes microseconds, a slow store milliseconds. */
const durationBounds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** What the agent counts, from its start on. Labels are closed unions, so the number of series is bounded. */
export class AgentCounters implements SignOnOutcomes, ExchangeOutcomes {
  #requests = 0;
  readonly #successes = new Map<AuthenticationMethod, number>();
  readonly #failures = new Map<string, { labels: { method: string; reason: string }; value: number }>();
  readonly #refreshes = new Map<RefreshResult, number>();
  readonly #decisions = new Map<PolicyDecision, number>();
  readonly #shadowDifferences = new Map<PolicyDecision, number>();
  readonly #signOns = new Map<'completed' | SignOnRefusal, number>();
  readonly #exchanges = new Map<'issued' | ExchangeReason, number>();
  #refused = 0;
  readonly #buckets = new Float64Array(durationBounds.length + 1);
  #seconds = 0;

  get requests(): number {
    return this.#requests;
  }

  /** Requests that did not pass. */
  get refusedRequests(): number {
    return this.#refused;
  }

  succeeded(method: AuthenticationMethod, seconds: number): void {
    this.#successes.set(method, (this.#successes.get(method) ?? 0) + 1);
    this.#answered(seconds);
  }

  /** Also where fail-open lets the request pass: its authentication failed all the same. */
  failed({ method, reason }: AuthenticationFailure, seconds: number): void {
    const labels = { method: method ?? 'none', reason };
    const key = `${labels.method} ${reason}`;
    const series = this.#failures.get(key) ?? { labels, value: 0 };
    series.value += 1;
    this.#failures.set(key, series);
    this.#answered(seconds);
  }

  /** A request does not pass, whatever the reason. */
  refusedRequest(): void {
    this.#refused += 1;
  }

  /** The policies decided; `shadow` is what the shadow policies would have decided, where that differs. */
  authorized(decision: PolicyDecision, shadow: PolicyDecision | null): void {
    this.#decisions.set(decision, (this.#decisions.get(decision) ?? 0) + 1);
    if (shadow !== null) this.#shadowDifferences.set(shadow, (this.#shadowDifferences.get(shadow) ?? 0) + 1);
  }

  /** Somebody has signed on. */
  completed(): void {
    this.#signedOn('completed');
  }

  /** A sign-on, or a message about signing out, was refused. */
  refused(reason: SignOnRefusal): void {
    this.#signedOn(reason);
  }

  /** A token was issued at the token endpoint, or refused. */
  exchanged(result: 'issued' | ExchangeReason): void {
    this.#exchanges.set(result, (this.#exchanges.get(result) ?? 0) + 1);
  }

  /** Keys of a provider were fetched, or could not be. */
  refreshedKeys(result: RefreshResult): void {
    this.#refreshes.set(result, (this.#refreshes.get(result) ?? 0) + 1);
  }

  #signedOn(result: 'completed' | SignOnRefusal): void {
    this.#signOns.set(result, (this.#signOns.get(result) ?? 0) + 1);
  }

  #answered(seconds: number): void {
    this.#requests += 1;
    this.#seconds += seconds;
    const bucket = durationBounds.findIndex((bound) => seconds <= bound);
    const index = bucket < 0 ? durationBounds.length : bucket;
    this.#buckets[index] = (this.#buckets[index] as number) + 1;
  }

  #histogram(): ReportedHistogram {
    let count = 0;
    const buckets = Array.from(this.#buckets, (value, index) => {
      count += value;
      return { le: durationBounds[index] ?? Number.POSITIVE_INFINITY, count };
    });
    const help = 'Time it took to authenticate a request, in seconds';
    return { name: 'auth_duration_seconds', help, labels: {}, sum: this.#seconds, count, buckets };
  }

  /** `sessions`: how many there are; null: it is not known, or there is no single sign-on. */
  report(agentId: string, timestampMs: number, intervalMs: number, sessions: number | null = null): MetricsReport {
    const successes = Array.from(
      this.#successes,
      ([method, value]): ReportedValue => ({
        name: 'auth_success_total',
        help: 'Requests that were authenticated, by method',
        labels: { method },
        value,
      }),
    );
    const failures = Array.from(
      this.#failures.values(),
      ({ labels, value }): ReportedValue => ({
        name: 'auth_failure_total',
        help: 'Requests that were not authenticated, by method and reason',
        labels,
        value,
      }),
    );
    const refreshes = Array.from(
      this.#refreshes,
      ([result, value]): ReportedValue => ({
        name: 'jwks_refresh_total',
        help: 'Fetches of key sets of OIDC providers, by result',
        labels: { result },
        value,
      }),
    );
    const decisions = Array.from(
      this.#decisions,
      ([decision, value]): ReportedValue => ({
        name: 'authz_decisions_total',
        help: 'Requests that the policies decided about, by decision',
        labels: { decision },
        value,
      }),
    );
    const differences = Array.from(
      this.#shadowDifferences,
      ([shadow, value]): ReportedValue => ({
        name: 'authz_shadow_differences_total',
        help: 'Requests that the shadow policies would have decided otherwise, by both decisions',
        labels: { enforced: shadow === 'allow' ? 'deny' : 'allow', shadow },
        value,
      }),
    );
    const signOns = Array.from(
      this.#signOns,
      ([result, value]): ReportedValue => ({
        name: 'saml_sign_ons_total',
        help: 'Answers of identity providers to sign-ons, and messages about signing out that were refused, by result',
        labels: { result },
        value,
      }),
    );
    const exchanges = Array.from(
      this.#exchanges,
      ([result, value]): ReportedValue => ({
        name: 'token_exchanges_total',
        help: 'Requests to the token endpoint, by result',
        labels: { result },
        value,
      }),
    );
    const activeSessions: ReportedValue = {
      name: 'saml_sessions_active',
      help: 'Sessions in the store, those included that are over and not removed yet',
      labels: {},
      value: sessions ?? 0,
    };
    const requests = {
      name: 'auth_requests_total',
      help: 'Requests that were judged',
      labels: {},
      value: this.#requests,
    };
    return {
      agentId,
      timestampMs,
      intervalMs,
      counters: [
        requests,
        ...successes,
        ...failures,
        ...refreshes,
        ...decisions,
        ...differences,
        ...signOns,
        ...exchanges,
      ],
      gauges: sessions === null ? [] : [activeSessions],
      histograms: [this.#histogram()],
    };
  }
}
