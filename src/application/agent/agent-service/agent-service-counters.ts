import type { AuthenticationFailure } from '../../../domain/agent/identity/authentication-failure.js';
import type { AuthenticationMethod } from '../../../domain/agent/identity/request-credentials.js';
import type { TokenRefreshResult } from '../../../domain/agent/oidc/token-refresh.js';
import { signOnMethods } from '../../../domain/agent/sessions/session.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { samlCertificateExpiry } from '../../../domain/agent-protocol/agent-metrics/own-agent-families.js';
import type { MetricsReport, ReportedHistogram, ReportedValue } from '../../../domain/agent-protocol/metrics-report.js';
import type { CertificateDates } from '../../../domain/shared/certificate-dates.js';
import type { SessionCounts } from '../../ports/agent/session-store.js';
import type { IntrospectionOutcomes, IntrospectionResult } from '../authenticate/introspection-check.js';
import type { ExchangeOutcomes } from '../exchange-token/exchange-record.js';
import type { RefreshResult } from '../keys/key-set.js';
import type { OidcOutcomes, OidcRefusal } from '../sign-on/oidc/oidc-refusal.js';
import type { RefreshOutcomes } from '../sign-on/oidc/session-refreshes.js';
import type { SignOnRefusal } from '../sign-on/saml/sign-on-refusal.js';
import type { SignOnOutcomes } from '../sign-on/saml/single-sign-on-options.js';

/** A counter with one series per label set. Kinds are a closed set, so the number of series is bounded. */
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

  /** The series in order of creation. */
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
/** Method and reason, neither of which contains a space. */
type FailureKind = `${string} ${string}`;

const byResult = (result: string): Readonly<Record<string, string>> => ({ result });

/** Upper bounds in seconds: a cached token takes microseconds, a slow store milliseconds. */
const durationBounds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** The gauges of single sign-on. */
export interface SignOnFigures {
  /** Numbers of stored sessions; null if unknown or without single sign-on. */
  readonly sessions: SessionCounts | null;
  /** One entry per subject. */
  readonly certificates: readonly CertificateDates[];
}

const sessionGauges = (sessions: SessionCounts): readonly ReportedValue[] => {
  const help = 'Sessions in the store, including expired ones that are not yet removed';
  return [
    { name: 'saml_sessions_active', help: `SAML s${help.slice(1)}`, labels: {}, value: sessions.saml },
    ...signOnMethods.map((method) => ({
      name: 'sessions_active',
      help: `${help}, by method`,
      labels: { method },
      value: sessions[method],
    })),
  ];
};

const noSignOn: SignOnFigures = { sessions: null, certificates: [] };

const certificateHelp =
  'Expiry of a certificate of the SAML identity provider or service provider, in seconds since the Unix epoch';

/** The metrics of the agent. Labels are closed unions and certificates, so the number of series is bounded. */
export class AgentServiceCounters
  implements SignOnOutcomes, OidcOutcomes, RefreshOutcomes, ExchangeOutcomes, IntrospectionOutcomes
{
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
  readonly #introspections = new LabelledCounter<IntrospectionResult>(
    'introspections_total',
    'Introspections of opaque tokens, by result',
    byResult,
  );
  readonly #decisions = new LabelledCounter<PolicyDecision>(
    'authz_decisions_total',
    'Requests that the policies decided, by decision',
    (decision) => ({ decision }),
  );
  readonly #shadowDifferences = new LabelledCounter<PolicyDecision>(
    'authz_shadow_differences_total',
    'Requests that the shadow policies would have decided differently, by both decisions',
    (shadow) => ({ enforced: shadow === 'allow' ? 'deny' : 'allow', shadow }),
  );
  readonly #signOns = new LabelledCounter<'completed' | SignOnRefusal>(
    'saml_sign_ons_total',
    'Sign-ons and refused logout messages, by result',
    byResult,
  );
  readonly #oidcSignOns = new LabelledCounter<'completed' | OidcRefusal>(
    'oidc_sign_ons_total',
    'Sign-ons at OpenID providers and refused callbacks, by result',
    byResult,
  );
  readonly #tokenRefreshes = new LabelledCounter<TokenRefreshResult>(
    'oidc_refreshes_total',
    'Refreshes of the tokens of sessions at OpenID providers, by result',
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

  /** Counts a failed authentication, even if fail-open lets the request pass. */
  failed({ method, reason }: AuthenticationFailure, seconds: number): void {
    this.#failures.add(`${method ?? 'none'} ${reason}`);
    this.#answered(seconds);
  }

  /** Counts the duration of a request that starts single sign-on: not a failed authentication. */
  beganSignOn(seconds: number): void {
    this.#answered(seconds);
  }

  /** Counts a request that does not pass, for any reason. */
  refusedRequest(): void {
    this.#refused += 1;
  }

  /** Counts a policy decision. `shadow`: the decision of the shadow policies if it differs. */
  authorized(decision: PolicyDecision, shadow: PolicyDecision | null): void {
    this.#decisions.add(decision);
    if (shadow !== null) this.#shadowDifferences.add(shadow);
  }

  /** Counts a completed sign-on. */
  completed(): void {
    this.#signOns.add('completed');
  }

  /** Counts a refused sign-on or logout message. */
  refused(reason: SignOnRefusal): void {
    this.#signOns.add(reason);
  }

  /** Counts a completed sign-on at an OpenID provider. */
  signedOn(): void {
    this.#oidcSignOns.add('completed');
  }

  /** Counts a refused sign-on at an OpenID provider. */
  refusedSignOn(reason: OidcRefusal): void {
    this.#oidcSignOns.add(reason);
  }

  /** Counts a refresh of the tokens of a session. */
  refreshedTokens(result: TokenRefreshResult): void {
    this.#tokenRefreshes.add(result);
  }

  /** Counts a result of the token endpoint. */
  exchanged(result: 'issued' | ExchangeReason): void {
    this.#exchanges.add(result);
  }

  /** Counts an introspection. */
  introspected(result: IntrospectionResult): void {
    this.#introspections.add(result);
  }

  /** Counts a fetch of a key set. */
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
    const help = 'Duration of an authentication, in seconds';
    return { name: 'auth_duration_seconds', help, labels: {}, sum: this.#seconds, count, buckets };
  }

  report(
    agentId: string,
    timestampMs: number,
    intervalMs: number,
    { sessions, certificates }: SignOnFigures = noSignOn,
  ): MetricsReport {
    const requests = {
      name: 'auth_requests_total',
      help: 'Requests that the agent decided',
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
        ...this.#introspections.values(),
        ...this.#decisions.values(),
        ...this.#shadowDifferences.values(),
        ...this.#signOns.values(),
        ...this.#oidcSignOns.values(),
        ...this.#tokenRefreshes.values(),
        ...this.#exchanges.values(),
      ],
      gauges: [
        ...(sessions === null ? [] : sessionGauges(sessions)),
        ...certificates.map(({ subject, expiryMs }) => ({
          name: samlCertificateExpiry,
          help: certificateHelp,
          labels: { subject },
          value: expiryMs / 1_000,
        })),
      ],
      histograms: [this.#histogram()],
    };
  }
}
