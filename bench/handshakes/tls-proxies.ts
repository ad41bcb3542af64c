import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, installed, type Started, start, untilReady } from '../started.js';

export interface TlsProxy {
  readonly name: string;
  readonly running: Started;
  readonly port: number;
}

export interface TlsPlace {
  readonly folder: string;
  readonly core: number;
  readonly upstreamPort: number;
  readonly certFile: string;
  readonly keyFile: string;
}

const gatewayConfiguration = (
  { upstreamPort, certFile, keyFile }: TlsPlace,
  port: number,
): string => `system { worker-threads 1 }
listeners {
  listener "bench" {
    address "127.0.0.1:${port}"
    protocol "https"
    tls { cert-file "${certFile}"; key-file "${keyFile}" }
  }
}
routes { route "everything" { matches { path-prefix "/" }; upstream "bench" } }
upstreams { upstream "bench" { target "127.0.0.1:${upstreamPort}" } }
limits {
  max-connections-per-client 5000
}
`;

const nginxConfiguration = ({ folder, upstreamPort, certFile, keyFile }: TlsPlace, port: number): string => `daemon off;
worker_processes 1; pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/cb; proxy_temp_path ${folder}/pt; fastcgi_temp_path ${folder}/ft;
  uwsgi_temp_path ${folder}/ut; scgi_temp_path ${folder}/st;
  upstream back { server 127.0.0.1:${upstreamPort}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} ssl http2 backlog=4096;
    ssl_certificate ${certFile}; ssl_certificate_key ${keyFile};
    ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache off; ssl_session_tickets on;
    location / {
      proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection '';
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`;

const caddyConfiguration = ({ upstreamPort, certFile, keyFile }: TlsPlace, port: number): string => `{
  admin off
  auto_https off
  log {
    level ERROR
  }
}
https://:${port} {
  bind 127.0.0.1
  tls ${certFile} ${keyFile}
  reverse_proxy 127.0.0.1:${upstreamPort} {
    transport http {
      keepalive_idle_conns_per_host 128
    }
  }
}
`;

interface Recipe {
  readonly name: string;
  /** Null where it cannot run. */
  readonly program: string | null;
  readonly configuration: (place: TlsPlace, port: number) => string;
  readonly command: (program: string, file: string, place: TlsPlace) => readonly string[];
  readonly env?: (place: TlsPlace) => Readonly<Record<string, string>>;
}

const gateway = (name: string, program: string): Recipe => ({
  name,
  program,
  configuration: gatewayConfiguration,
  command: (path, file) => [process.execPath, path, '--config', file],
  env: () => ({ RUST_LOG: 'error', GATEWAY_WORKER_THREADS: '' }),
});

const built = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));

const recipes: readonly Recipe[] = [
  {
    name: 'nginx',
    program: installed('nginx'),
    configuration: nginxConfiguration,
    command: (program, file, { folder }) => [program, '-p', folder, '-e', 'stderr', '-c', file],
  },
  gateway('gateway', built),
  {
    name: 'caddy',
    program: installed('caddy'),
    configuration: caddyConfiguration,
    command: (program, file) => [program, 'run', '--adapter', 'caddyfile', '--config', file],
    env: ({ folder }) => ({ GOMAXPROCS: '1', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }),
  },
];

/**
 * Starts nginx, the gateway and caddy, as far as installed; `only` names a choice (null: all). `other` is the
 * main-gateway.js of another build; null: none.
 */
export const startTlsProxies = async (
  place: TlsPlace,
  other: string | null,
  only: readonly string[] | null,
): Promise<readonly TlsProxy[]> => {
  const proxies: TlsProxy[] = [];
  const wanted = recipes.filter(({ name }) => only?.includes(name) ?? true);
  for (const recipe of other === null ? wanted : [...wanted, gateway('other gateway', other)]) {
    const { name, program, configuration, command, env } = recipe;
    if (program === null) continue;
    const port = await freePort();
    const file = join(place.folder, `${name.replace(' ', '-')}.conf`);
    writeFileSync(file, configuration(place, port), { mode: 0o600 });
    const running = start(name, place.core, command(program, file, place), env?.(place));
    proxies.push({ name, running, port });
    await untilReady(running, { port });
  }
  return proxies;
};
