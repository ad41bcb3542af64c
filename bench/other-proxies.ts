import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchSecret } from './bench-token.js';
import type { Contender, Place } from './contender.js';
import { freePort, installed, start, untilReady } from './started.js';

interface Recipe {
  /** What it is called; the program where `program` is absent. */
  readonly name: string;
  readonly program?: string;
  readonly describes: string;
  readonly fileName: string;
  readonly configuration: (place: Place, port: number) => string;
  readonly command: (program: string, file: string, place: Place) => readonly string[];
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
}

/** What stands in the http block and in the location besides what a bare proxy needs. */
interface NginxExtras {
  readonly http: string;
  readonly server: string;
  readonly location: string;
}

const nginxConfiguration = ({ folder, upstreamPort }: Place, port: number, extras: NginxExtras): string => `daemon off;
worker_processes 1; pid ${folder}/proxy.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  keepalive_requests 1000000000; keepalive_timeout 3600s;
  client_body_temp_path ${folder}/cb; proxy_temp_path ${folder}/pt; fastcgi_temp_path ${folder}/ft;
  uwsgi_temp_path ${folder}/ut; scgi_temp_path ${folder}/st;
  proxy_buffers 8 64k; proxy_max_temp_file_size 0;
  ${extras.http}
  upstream back { server 127.0.0.1:${upstreamPort}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    ${extras.server}
    location / {
      ${extras.location}
      proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection '';
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`;

const nginxCommand: Recipe['command'] = (program, file, { folder }) => [
  program,
  '-p',
  folder,
  '-e',
  'stderr',
  '-c',
  file,
];

const recipes: readonly Recipe[] = [
  {
    name: 'nginx',
    describes: 'one worker, keep-alive to the upstream, no access log',
    fileName: 'proxy.conf',
    configuration: (place, port) =>
      nginxConfiguration(place, port, { http: 'access_log off;', server: '', location: '' }),
    command: nginxCommand,
  },
  {
    name: 'nginx+log',
    program: 'nginx',
    describes: 'the same with an access log, and a rate and a connection limit per client',
    fileName: 'watched.conf',
    configuration: (place, port) =>
      nginxConfiguration(place, port, {
        http: `access_log /dev/null; limit_req_zone $binary_remote_addr zone=rate:10m rate=1000000r/s;
  limit_conn_zone $binary_remote_addr zone=clients:10m;`,
        server: 'limit_conn clients 5000;',
        location: 'limit_req zone=rate burst=100000 nodelay;',
      }),
    command: nginxCommand,
  },
  {
    name: 'haproxy',
    describes: 'one thread, http-reuse always, no log',
    fileName: 'haproxy.cfg',
    configuration: ({ upstreamPort }, port) => `global
  nbthread 1
  maxconn 2048
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  option forwardfor
frontend front
  bind 127.0.0.1:${port}
  default_backend back
backend back
  http-reuse always
  server one 127.0.0.1:${upstreamPort}
`,
    command: (program, file) => [program, '-db', '-f', file],
  },
  {
    name: 'caddy',
    describes: 'GOMAXPROCS=1, no access log',
    fileName: 'Caddyfile',
    configuration: ({ upstreamPort }, port) => `{
  admin off
  auto_https off
  log {
    level ERROR
  }
}
http://127.0.0.1:${port} {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${upstreamPort} {
    transport http {
      keepalive_idle_conns_per_host 128
    }
  }
}
`,
    command: (program, file) => [program, 'run', '--adapter', 'caddyfile', '--config', file],
    env: ({ folder }) => ({ GOMAXPROCS: '1', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }),
  },
];

const contender = (recipe: Recipe): Contender => {
  const program = installed(recipe.program ?? recipe.name);
  return {
    name: recipe.name,
    describes: recipe.describes,
    missing: program === null ? 'not installed' : null,
    async start(place) {
      if (program === null) throw new Error(`${recipe.name} is not installed`);
      const port = await freePort();
      const file = join(place.folder, recipe.fileName);
      writeFileSync(file, recipe.configuration(place, port));
      const proxy = start(recipe.name, place.core, recipe.command(program, file, place), recipe.env?.(place));
      await untilReady(proxy, { port });
      return { port, pids: [proxy.pid], stop: () => proxy.stop() };
    },
  };
};

/** nginx that asks a service about each request, as people do who have no gateway that can judge by itself. */
const nginxWithService: Contender = {
  name: 'nginx+service',
  describes: 'nginx with an access log and auth_request to a Node service that checks HS256; CPU time of both',
  missing: installed('nginx') === null ? 'not installed' : null,
  async start(place) {
    const program = installed('nginx');
    if (program === null) throw new Error('nginx is not installed');
    const [port, servicePort] = [await freePort(), await freePort()];
    const script = fileURLToPath(new URL('./auth-service.js', import.meta.url));
    const command = [process.execPath, script, String(servicePort), benchSecret];
    const service = start('auth-service', place.core, command);
    await untilReady(service, { port: servicePort });
    const file = join(place.folder, 'asking.conf');
    const extras: NginxExtras = {
      http: `access_log /dev/null; upstream judge { server 127.0.0.1:${servicePort}; keepalive 128; keepalive_requests 1000000000; }`,
      server: `location = /judge {
      internal; proxy_pass http://judge; proxy_http_version 1.1; proxy_set_header Connection '';
      proxy_pass_request_body off; proxy_set_header Content-Length '';
    }`,
      location: `auth_request /judge; auth_request_set $user $upstream_http_x_user_id; proxy_set_header X-User-Id $user;`,
    };
    writeFileSync(file, nginxConfiguration(place, port, extras));
    const proxy = start('nginx', place.core, nginxCommand(program, file, place));
    await untilReady(proxy, { port });
    return {
      port,
      pids: [proxy.pid, service.pid],
      async stop() {
        await proxy.stop();
        await service.stop();
      },
    };
  },
};

/** What Node and reading the messages cost by themselves: programs that do nothing else. */
const relay = (name: string, script: string, describes: string): Contender => ({
  name,
  describes,
  missing: null,
  async start(place) {
    const port = await freePort();
    const path = fileURLToPath(new URL(`./relays/${script}.js`, import.meta.url));
    const running = start(name, place.core, [process.execPath, path, String(port), String(place.upstreamPort)]);
    await untilReady(running, { port });
    return { port, pids: [running.pid], stop: () => running.stop() };
  },
});

const relays: readonly Contender[] = [
  relay('sockets', 'socket-relay', 'a Node program that forwards bytes between sockets without reading them'),
  relay(
    'messages',
    'message-relay',
    "a Node program that reads both heads with the gateway's parser and forwards them",
  ),
];

/** What people would run instead, as far as it is installed, and what no proxy on Node can do without. */
export const otherProxies: readonly Contender[] = [...recipes.map(contender), nginxWithService, ...relays];
