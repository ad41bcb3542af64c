import type { AuthenticationFailure } from '../../../domain/agent/identity/authentication-failure.js';
import type { AuthenticationMethod } from '../../../domain/agent/identity/request-credentials.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import type { MetricsReport, ReportedHistogram, ReportedValue } from '../../../domain/agent-protocol/metrics-report.js';
import type { ExchangeOutcomes } from '../exchange-token/exchange-facts.js';
import type { RefreshResult } from '../keys/key-set.js';
import type { SignOnRefusal } from '../sign-on/saml/sign-on-refusal.js';
import type { SignOnOutcomes } from '../sign-on/saml/single-sign-on-parts.js';

interface LatencyFigures {
  readonly avgMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** The last durations, for a health report; a ring of fixed size. */
export class LatencyWindow {
  readonly #durations: Float64Array;
  #recorded = 0;

  constructor(size = 512) {
    this.#durations = new Float64Array(size);
  }

  record(durationMs: number): void {
    this.#durations[this.#recorded % this.#durations.length] = durationMs;
    this.#recorded += 1;
  }

  figures(): LatencyFigures {
    const sorted = this.#durations.slice(0, Math.min(this.#recorded, this.#durations.length)).sort();
    const at = (fraction: number) => sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? 0;
    const sum = sorted.reduce((total, duration) => total + duration, 0);
    return { avgMs: sorted.length === 0 ? 0 : sum / sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
  }
}

/**
 * Counts what differs in its labels: one series for each kind of it that has happened. Kinds are a closed set, so the
 * series are bounded.
 */
export class LabelledCounter<Kind extends string> {
  readonly #name: string;
  readonly #help: string;
  readonly #labelsOf: (kind: Kind) => Readonly<Record<string, string>>;
  readonly #values = new Map<Kind, number>();

  constructor(name: string, help: string, labelsOf: (kind: Kind) => Readonly<Record<string, string>>) {
    this.#name = name;
    this.#help = help;
    this.#labelsOf = labelsOf;
  }

  add(kind: Kind): void {
    this.#values.set(kind, (this.#values.get(kind) ?? 0) + 1);
  }

  /** The series in the order in which they began. */
  values(): readonly ReportedValue[] {
    return Array.from(this.#values, ([kind, value]) => ({
      name: this.#name,
      help: this.#help,
      labels: this.#labelsOf(kind),
      value,
    }));
  }
}

type PolicyDecision = 'allow' | 'deny';
/** Method and reason, neither of which has a space. */
type FailureKind = `${string} ${string}`;

const byResult = (result: string): Readonly<Record<string, string>> => ({ result });

/** Upper bounds in seconds: a remembered token takes microseconds, a slow store milliseconds. */
const durationBounds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** What the agent counts, from its start on. Labels are closed unions, so the number of series is bounded. */
export class AgentServiceCounters implements SignOnOutcomes, ExchangeOutcomes {
  #requests = 0;
  readonly #successes = new LabelledCounter<AuthenticationMethod>(
    'auth_success_total',
    'Requests that were authenticated, by method',
    (method) => ({ method }),
  );
  readonly #failures = new LabelledCounter<FailureKind>(
    'auth_failure_total',
    'Requests that were not authenticated, by method and reason',
    (kind) => ({ method: kind.slice(0, kind.indexOf(' ')), reason: kind.slice(kind.indexOf(' ') + 1) }),
  );
  readonly #refreshes = new LabelledCounter<RefreshResult>(
    'jwks_refresh_total',
    'Fetches of key sets of OIDC providers, by result',
    byResult,
  );
  readonly #decisions = new LabelledCounter<PolicyDecision>(
    'authz_decisions_total',
    'Requests that the policies decided about, by decision',
    (decision) => ({ decision }),
  );
  readonly #shadowDifferences = new LabelledCounter<PolicyDecision>(
    'authz_shadow_differences_total',
    'Requests that the shadow policies would have decided otherwise, by both decisions',
    (shadow) => ({ enforced: shadow === 'allow' ? 'deny' : 'allow', shadow }),
  );
  readonly #signOns = new LabelledCounter<'completed' | SignOnRefusal>(
    'saml_sign_ons_total',
    'Answers of identity providers to sign-ons, and messages about signing out that were refused, by result',
    byResult,
  );
  readonly #exchanges = new LabelledCounter<'issued' | ExchangeReason>(
    'token_exchanges_total',
    'Requests to the token endpoint, by result',
    byResult,
  );
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
    this.#successes.add(method);
    this.#answered(seconds);
  }

  /** Also where fail-open lets the request pass: its authentication failed all the same. */
  failed({ method, reason }: AuthenticationFailure, seconds: number): void {
    this.#failures.add(`${method ?? 'none'} ${reason}`);
    this.#answered(seconds);
  }

  /** A request without a valid credential leads to single sign-on: no failure of its client. */
  beganSignOn(seconds: number): void {
    this.#answered(seconds);
  }

  /** A request does not pass, whatever the reason. */
  refusedRequest(): void {
    this.#refused += 1;
  }

  /** The policies decided; `shadow` is what the shadow policies would have decided, where that differs. */
  authorized(decision: PolicyDecision, shadow: PolicyDecision | null): void {
    this.#decisions.add(decision);
    if (shadow !== null) this.#shadowDifferences.add(shadow);
  }

  /** Somebody has signed on. */
  completed(): void {
    this.#signOns.add('completed');
  }

  /** A sign-on, or a message about signing out, was refused. */
  refused(reason: SignOnRefusal): void {
    this.#signOns.add(reason);
  }

  /** A token was issued at the token endpoint, or refused. */
  exchanged(result: 'issued' | ExchangeReason): void {
    this.#exchanges.add(result);
  }

  /** Keys of a provider were fetched, or could not be. */
  refreshedKeys(result: RefreshResult): void {
    this.#refreshes.add(result);
  }

  #answered(seconds: number): void {
    this.#requests += 1;
    this.#seconds += seconds;
    let bucket = 0;
    while (bucket < durationBounds.length && seconds > (durationBounds[bucket] as number)) bucket += 1;
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1;
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
        ...this.#successes.values(),
        ...this.#failures.values(),
        ...this.#refreshes.values(),
        ...this.#decisions.values(),
        ...this.#shadowDifferences.values(),
        ...this.#signOns.values(),
        ...this.#exchanges.values(),
      ],
      gauges: sessions === null ? [] : [activeSessions],
      histograms: [this.#histogram()],
    };
  }
}
