import { balancerPath, startBalancer } from '../gateway/load-balancers.js';
import { documentationPage, fencedBlocks } from './documentation-examples.js';
import type { RunningProcess } from './processes.js';
import type { TemporaryFolder } from './temporary-folder.js';

const page = 'docs/guides/behind-a-load-balancer.md';

/** Ports of 127.0.0.1: where a balancer listens, and where its two gateways do. */
export interface BalancedPorts {
  readonly port: number;
  readonly gateways: readonly [number, number];
}

/** What the guide shows for a balancer, the first in that language that holds this text. */
const shown = (language: 'nginx' | 'haproxy', holding: string): string => {
  const block = fencedBlocks(documentationPage(page)).find(
    ({ info, text }) => info === language && text.includes(holding),
  );
  if (block === undefined) throw new Error(`${page} has no ${language} with ${holding}`);
  return block.text;
};

/** The text with another in the place of a part, which it has to hold. */
const replaced = (text: string, part: RegExp, by: string): string => {
  if (!part.test(text)) throw new Error(`${page}: no ${part} in\n${text}`);
  return text.replace(part, by);
};

const placed = (text: string, bound: RegExp, { port, gateways: [one, two] }: BalancedPorts): string => {
  let local = replaced(text, bound, `$1 127.0.0.1:${port}`);
  local = replaced(local, /10\.0\.0\.11:\d+/, `127.0.0.1:${one}`);
  return replaced(local, /10\.0\.0\.12:\d+/, `127.0.0.1:${two}`);
};

/** nginx as the guide has it, but for ports, and without TLS. */
export const startDocumentedNginx = (folder: TemporaryFolder, ports: BalancedPorts): Promise<RunningProcess> => {
  const text = placed(shown('nginx', 'proxy_next_upstream'), /(listen) 443 ssl/, ports);
  const file = folder.write(
    'documented-nginx.conf',
    `daemon off;
worker_processes 1;
pid ${folder.file('documented-nginx.pid')};
error_log stderr crit;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder.file('body')};
  proxy_temp_path ${folder.file('proxy')};
  fastcgi_temp_path ${folder.file('fastcgi')};
  uwsgi_temp_path ${folder.file('uwsgi')};
  scgi_temp_path ${folder.file('scgi')};
${replaced(text, /^ *ssl_certificate.*\n *ssl_certificate_key.*\n/m, '')}
}
`,
  );
  return startBalancer(balancerPath('nginx'), ['-p', folder.path, '-e', 'stderr', '-c', file], ports.port);
};

/**
 * HAProxy as the guide has it, but for ports, and without TLS: it reads HTTP on one port, and passes connections on
 * from another.
 */
export const startDocumentedHaproxy = (
  folder: TemporaryFolder,
  reading: BalancedPorts,
  passing: BalancedPorts,
): Promise<RunningProcess> => {
  const file = folder.write(
    'documented-haproxy.cfg',
    `global
  maxconn 512
${placed(shown('haproxy', 'option httpchk'), /(bind) :443 ssl crt \S+/, reading)}
${placed(shown('haproxy', 'mode tcp'), /(bind) :8443/, passing)}
`,
  );
  return startBalancer(balancerPath('haproxy'), ['-f', file, '-db'], reading.port);
};
