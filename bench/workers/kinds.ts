/** What the gateway is configured to hold over all of its processes. */
export interface Kind {
  readonly name: string;
  readonly describes: string;
  /** Children of `limits`. */
  readonly limits: readonly string[];
  /** Children of the route's `policies`. */
  readonly policies: readonly string[];
  /** Most answers refuse. */
  readonly isRefused: boolean;
}

const roomy = ['max-connections-per-client 1000', 'max-connections-per-route 1000', 'max-in-flight-requests 1000'];

const rateOf = (requestsPerSecond: number, burst: number, key: string): string =>
  `rate-limit { requests-per-second ${requestsPerSecond}; burst ${burst}; key "${key}" }`;

export const kinds: readonly Kind[] = [
  { name: 'plain', describes: 'only the default limits', limits: [], policies: [], isRefused: false },
  {
    name: 'limits',
    describes: 'a rate and connections per client, connections per route, requests in flight: none reached',
    limits: roomy,
    policies: [rateOf(100_000, 100_000, 'client_ip')],
    isRefused: false,
  },
  {
    name: 'limits small',
    describes: 'as before, the rate with a burst of 2000: small leases',
    limits: roomy,
    policies: [rateOf(100_000, 2_000, 'client_ip')],
    isRefused: false,
  },
  {
    name: 'over the rate',
    describes: 'a client sends as fast as it can; 500 requests per second are admitted',
    limits: roomy,
    policies: [rateOf(500, 500, 'client_ip')],
    isRefused: true,
  },
  {
    name: 'contended',
    describes: '8 requests in flight; the other connections queue',
    limits: ['max-in-flight-requests 8', 'max-queued-requests 1000'],
    policies: [],
    isRefused: false,
  },
];

export const workersConfiguration = (
  { limits, policies }: Kind,
  at: { readonly port: number; readonly upstreamPort: number; readonly workers: number },
): string => `
system { worker-threads ${at.workers} }
listeners { listener "bench" { address "127.0.0.1:${at.port}" } }
limits {
  max-idle-connections-per-upstream 400
${limits.map((line) => `  ${line}`).join('\n')}
}
routes {
  route "everything" {
    matches { path-prefix "/" }
    upstream "bench"
    policies {
${policies.map((line) => `      ${line}`).join('\n')}
    }
  }
}
upstreams {
  upstream "bench" {
    target "127.0.0.1:${at.upstreamPort}"
  }
}
`;
