import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scenario } from './scenarios.js';
import { freePort, installed, type Started, start, untilReady } from './started.js';

export interface Upstream extends Started {
  readonly port: number;
}

const quarter = 262_144;

/** nginx takes no parameter over 4 KB, but a variable may be repeated. */
const nginxBody = (octets: number): string =>
  '$quarter'.repeat(Math.floor(octets / quarter)) +
  '$kilobyte'.repeat(Math.floor((octets % quarter) / 1024)) +
  'x'.repeat(octets % 1024);

/** They are put together for each request: one that is not needed would take the generator's core from it. */
const nginxVariables = (octets: number): string => {
  const kilobyte = octets < 1024 ? [] : [`set $kilobyte '${'x'.repeat(1024)}';`];
  const quarters = octets < quarter ? [] : [`set $quarter '${'$kilobyte'.repeat(quarter / 1024)}';`];
  return [...kilobyte, ...quarters].join(' ');
};

/** A varied scenario has another ETag in each response. */
const variedValue = (name: string, value: string, { isVaried }: Scenario): string =>
  isVaried && name === 'ETag' ? '"$connection-$connection_requests"' : value;

const nginxConfiguration = (folder: string, port: number, scenario: Scenario): string => {
  const type = scenario.responseHeaders.find(([name]) => name === 'Content-Type')?.[1] ?? 'text/plain';
  const others = scenario.responseHeaders.filter(([name]) => name !== 'Content-Type');
  return `daemon off; worker_processes 1; pid ${join(folder, 'upstream.pid')}; error_log stderr crit;
events { worker_connections 2048; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s; server_tokens off;
  client_body_temp_path ${folder}/ub; proxy_temp_path ${folder}/up; fastcgi_temp_path ${folder}/uf;
  uwsgi_temp_path ${folder}/uu; scgi_temp_path ${folder}/us;
  server {
    listen 127.0.0.1:${port};
    default_type '${type}';
    ${others.map(([name, value]) => `add_header ${name} '${variedValue(name, value, scenario)}';`).join('\n    ')}
    ${nginxVariables(scenario.bodyOctets)}
    location / { return 200 '${nginxBody(scenario.bodyOctets)}'; }
  }
}
`;
};

const plainAnswer = (scenario: Scenario): string =>
  [
    'HTTP/1.1 200 OK',
    ...scenario.responseHeaders.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${scenario.bodyOctets}`,
    '',
    'x'.repeat(scenario.bodyOctets),
  ].join('\r\n');

/** Starts what answers behind every proxy: nginx with a fixed answer, or the responder here where there is no nginx. */
export const startUpstream = async (folder: string, core: number, scenario: Scenario): Promise<Upstream> => {
  const port = await freePort();
  const nginx = installed('nginx');
  if (nginx === null) {
    const responder = fileURLToPath(new URL('./echo-responder.js', import.meta.url));
    const answer = Buffer.from(plainAnswer(scenario)).toString('base64');
    const upstream = start('bench/echo-responder.ts', core, [process.execPath, responder, String(port), answer]);
    await untilReady(upstream, { port });
    return { ...upstream, port };
  }
  const file = join(folder, 'upstream.conf');
  writeFileSync(file, nginxConfiguration(folder, port, scenario));
  const upstream = start('nginx (return 200)', core, [nginx, '-p', folder, '-e', 'stderr', '-c', file]);
  await untilReady(upstream, { port });
  return { ...upstream, port };
};
