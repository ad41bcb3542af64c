import { createHmac } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contender, Place, RunningContender } from './contender.js';
import { freePort, type Started, start, untilReady } from './started.js';

const secret = 'a-secret-for-benchmarks-of-48-octets-in-all-12345';
const program = (name: string): string => fileURLToPath(new URL(`../programs/${name}.js`, import.meta.url));

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that the agent takes, for the next hour. */
export const benchToken = (): string => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const claims = { sub: 'bench', role: 'reader', iat: nowSeconds, exp: nowSeconds + 3600 };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};

const configuration = (port: number, upstreamPort: number, transport: string | null): string => `
listeners {
  listener "bench" {
    address "127.0.0.1:${port}"
    protocol "http"
  }
}
routes {
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
      jwt-secret "${secret}"
    }
  }
}`
}
`;

const startGateway = async (
  place: Place,
  transport: string | null,
  agent: Started | null,
): Promise<RunningContender> => {
  const port = await freePort();
  const file = join(place.folder, 'gateway.kdl');
  writeFileSync(file, configuration(port, place.upstreamPort, transport), { mode: 0o600 });
  const command = [process.execPath, program('main-gateway'), '--config', file];
  // Access logs cost every proxy; nobody here writes one.
  const gateway = start('gateway', place.core, command, { RUST_LOG: 'error', GATEWAY_WORKER_THREADS: '1' });
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

/** Portcullis as a bare proxy, with the agent in its process, and with the agent behind its socket. */
export const portcullis: readonly Contender[] = [
  {
    name: 'gateway',
    describes: 'Portcullis, no agent on the route',
    missing,
    start: (place) => startGateway(place, null, null),
  },
  {
    name: 'gateway+jwt',
    describes: 'Portcullis, HS256 checked by the embedded agent',
    missing,
    start: (place) => startGateway(place, 'transport "embedded"', null),
  },
  {
    name: 'gateway+agent',
    describes: 'Portcullis, HS256 checked by gateway-auth behind its unix socket; CPU time of both',
    missing,
    async start(place) {
      const path = join(place.folder, 'auth.sock');
      const command = [process.execPath, program('main-gateway-auth'), '--socket', path];
      const agent = start('gateway-auth', place.core, command, { RUST_LOG: 'error' });
      await untilReady(agent, { path });
      const transport = `transport {\n      unix_socket {\n        path "${path}"\n      }\n    }`;
      return startGateway(place, transport, agent);
    },
  },
];
