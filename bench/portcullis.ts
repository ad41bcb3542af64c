import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchSecret } from './bench-token.js';
import type { Contender, Place, RunningContender } from './contender.js';
import { freePort, type Started, start, untilReady } from './started.js';

const program = (name: string): string => fileURLToPath(new URL(`../programs/${name}.js`, import.meta.url));

/** How a gateway is set up besides its one route to the upstream. */
interface SetUp {
  /** KDL of the agent's transport; null: there is no agent. */
  readonly transport: string | null;
  /** Limits and rates that are not reached, and an access log. */
  readonly isWatched: boolean;
  /** Routes that no request takes, beside the one that all take. */
  readonly otherRoutes: number;
}

/** Of every kind that people have: by path, by prefix, by host, by method and header. */
const otherRoute = (number: number): string => {
  const kinds = [
    `path "/orders/${number + 1_000}"`,
    `path-prefix "/orders/v${number}/items"`,
    `path-prefix "/orders"; host "shop-${number}.example.com"`,
    `path-prefix "/orders"; method "PUT"; header "X-Tenant" "${number}"`,
  ];
  return `route "r${number}" { matches { ${kinds[number % kinds.length]}; }; upstream "bench"; }\n`;
};

const limits = `
limits {
  max-total-connections 10000
  max-connections-per-client 5000
  max-connections-per-route 5000
  max-in-flight-requests 5000
  max-requests-per-second-per-client 1000000
}
`;

const configuration = (port: number, upstreamPort: number, { transport, isWatched, otherRoutes }: SetUp): string => `
system {
  worker-threads 1
}
listeners {
  listener "bench" {
    address "127.0.0.1:${port}"
    protocol "http"
  }
}
routes {
${Array.from({ length: otherRoutes }, (_, number) => otherRoute(number)).join('')}
  route "everything" {
    matches {
      path-prefix "/"
    }
    upstream "bench"
${transport === null ? '' : '    agents "auth"'}
  }
}
upstreams {
  upstream "bench" {
    targets {
      target {
        address "127.0.0.1:${upstreamPort}"
      }
    }
  }
}
${isWatched ? limits : ''}
${
  transport === null
    ? ''
    : `agents {
  agent "auth" {
    type "custom"
    ${transport}
    events "request_headers"
    timeout-ms 1000
    failure-mode "closed"
    protocol-version 2
    config {
      jwt-secret "${benchSecret}"
    }
  }
}`
}
`;

const startGateway = async (place: Place, setUp: SetUp, agent: Started | null): Promise<RunningContender> => {
  const port = await freePort();
  const file = join(place.folder, 'gateway.kdl');
  writeFileSync(file, configuration(port, place.upstreamPort, setUp), { mode: 0o600 });
  const command = [process.execPath, program('main-gateway'), '--config', file];
  // Access logs cost every proxy: those that write one write it to nowhere, the others are silent.
  const gateway = setUp.isWatched
    ? start('gateway', place.core, ['sh', '-c', 'exec "$@" > /dev/null', 'sh', ...command])
    : start('gateway', place.core, command, { RUST_LOG: 'error' });
  await untilReady(gateway, { port });
  return {
    port,
    pids: agent === null ? [gateway.pid] : [gateway.pid, agent.pid],
    async stop() {
      await gateway.stop();
      await agent?.stop();
    },
  };
};

const missing = existsSync(program('main-gateway')) ? null : 'not built';

const bare: SetUp = { transport: null, isWatched: false, otherRoutes: 9 };
const embedded = 'transport "embedded"';

const contender = (name: string, describes: string, setUp: SetUp): Contender => ({
  name,
  describes,
  missing,
  start: (place) => startGateway(place, setUp, null),
});

const withAgentOnSocket = async (place: Place, isWatched: boolean): Promise<RunningContender> => {
  const path = join(place.folder, 'auth.sock');
  const command = [process.execPath, program('main-gateway-auth'), '--socket', path];
  const agent = start('gateway-auth', place.core, command, { RUST_LOG: 'error' });
  await untilReady(agent, { path });
  const transport = `transport {\n      unix_socket {\n        path "${path}"\n      }\n    }`;
  return startGateway(place, { ...bare, transport, isWatched }, agent);
};

/** Portcullis as a bare proxy, with the agent in its process, and with the agent behind its socket. */
export const portcullis: readonly Contender[] = [
  contender('gateway', 'Portcullis, no agent on the route', bare),
  contender('gateway+routes', 'the same with 10 000 routes instead of 10', { ...bare, otherRoutes: 9_999 }),
  contender('gateway+jwt', 'Portcullis, HS256 checked by the embedded agent', { ...bare, transport: embedded }),
  contender('gateway+all', 'the same with limits, a rate per client, metrics and an access log', {
    ...bare,
    transport: embedded,
    isWatched: true,
  }),
  {
    name: 'gateway+agent',
    describes: 'Portcullis, HS256 checked by gateway-auth behind its unix socket; CPU time of both',
    missing,
    start: (place) => withAgentOnSocket(place, false),
  },
];
