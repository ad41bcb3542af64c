import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender, Place } from './contender.js';
import { freePort, installed, start, untilReady } from './started.js';

interface Recipe {
  readonly name: string;
  readonly describes: string;
  readonly fileName: string;
  readonly configuration: (place: Place, port: number) => string;
  readonly command: (program: string, file: string, place: Place) => readonly string[];
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
}

const recipes: readonly Recipe[] = [
  {
    name: 'nginx',
    describes: 'one worker, keep-alive to the upstream, no access log',
    fileName: 'proxy.conf',
    configuration: ({ folder, upstreamPort }, port) => `daemon off; worker_processes 1; pid ${folder}/proxy.pid;
error_log stderr crit;
events { worker_connections 2048; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s;
  client_body_temp_path ${folder}/cb; proxy_temp_path ${folder}/pt; fastcgi_temp_path ${folder}/ft;
  uwsgi_temp_path ${folder}/ut; scgi_temp_path ${folder}/st;
  proxy_buffers 8 64k; proxy_max_temp_file_size 0;
  upstream back { server 127.0.0.1:${upstreamPort}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection '';
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`,
    command: (program, file, { folder }) => [program, '-p', folder, '-e', 'stderr', '-c', file],
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
  const program = installed(recipe.name);
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

/** The proxies that people would run instead, as far as they are installed. */
export const otherProxies: readonly Contender[] = recipes.map(contender);
