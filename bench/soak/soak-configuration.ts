/** What the gateway of the soak is to serve. */
export interface SoakSettings {
  readonly port: number;
  readonly adminPort: number;
  readonly targetPorts: readonly number[];
  readonly workers: number;
  readonly key: string;
}

/** The configuration for one reload: routes come and go, weights and limits change; `/orders` is always there. */
export const soakConfiguration = (settings: SoakSettings, version: number): string => {
  const { port, adminPort, targetPorts, workers, key } = settings;
  // The same names come back: for each name of a run there is a series of metrics, which stays.
  const extra = Array.from({ length: 1 + (version % 50) }, (_, index) => {
    const id = `extra-${version % 4}-${index}`;
    return `  route "${id}" {\n    matches { path "/${id}" }\n    upstream "orders"\n  }`;
  });
  const targets = targetPorts.map(
    (each, index) => `      target { address "127.0.0.1:${each}"; weight ${1 + ((version + index) % 3)} }`,
  );
  return `
system {
  worker-threads ${workers}
  graceful-shutdown-timeout-secs 10
}
listeners {
  listener "soak" { address "127.0.0.1:${port}" }
}
limits {
  max-connections-per-client 2000
  max-in-flight-requests ${5_000 + (version % 7)}
  max-requests-per-second-global 100000
  max-requests-per-second-per-client 50000
}
routes {
  route "orders" {
    matches { path-prefix "/orders" }
    upstream "orders"
    agents "auth"
  }
${extra.join('\n')}
}
upstreams {
  upstream "orders" {
    targets {
${targets.join('\n')}
    }
    health-check {
      type "http" { path "/health" }
      interval-secs 2
      timeout-secs 1
      healthy-threshold 2
      unhealthy-threshold 2
    }
    timeouts {
      connect-secs 2
      read-secs 2
      request-secs 10
    }
  }
}
agents {
  agent "auth" {
    transport "embedded"
    config { api-keys "${key}:soak" }
  }
}
admin { address "127.0.0.1:${adminPort}" }
`;
};
