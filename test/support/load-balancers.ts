import { peerPath } from './peers.js';
import { type RunningProcess, startProcess, untilListening } from './processes.js';
import type { TemporaryFolder } from './temporary-folder.js';

const peer = (name: 'nginx' | 'haproxy'): string => {
  const path = peerPath(name);
  if (path === null) throw new Error(`${name} is not installed: use describeWithPeers`);
  return path;
};

const start = async (command: string, args: readonly string[], port: number): Promise<RunningProcess> => {
  const balancer = startProcess(command, args);
  try {
    await untilListening(balancer, port);
    return balancer;
  } catch (error) {
    await balancer.stop();
    throw error;
  }
};

/** nginx in front of a gateway as people run it: keep-alive upstream, X-Forwarded-For appended, large bodies. */
export const startNginx = (folder: TemporaryFolder, port: number, gatewayPort: number): Promise<RunningProcess> => {
  const file = folder.write(
    'nginx.conf',
    `daemon off;
worker_processes 1;
pid ${folder.file('nginx.pid')};
error_log stderr warn;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder.file('body')};
  proxy_temp_path ${folder.file('proxy')};
  fastcgi_temp_path ${folder.file('fastcgi')};
  uwsgi_temp_path ${folder.file('uwsgi')};
  scgi_temp_path ${folder.file('scgi')};
  client_max_body_size 0;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  upstream gateway { server 127.0.0.1:${gatewayPort}; keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://gateway;
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_set_header Host $http_host;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`,
  );
  return start(peer('nginx'), ['-p', folder.path, '-e', 'stderr', '-c', file], port);
};

/** haproxy in front of a gateway, with `option forwardfor`. */
export const startHaproxy = (folder: TemporaryFolder, port: number, gatewayPort: number): Promise<RunningProcess> => {
  const file = folder.write(
    'haproxy.cfg',
    `global
  maxconn 512
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout tunnel 30s
  option forwardfor
  option http-keep-alive
frontend front
  bind 127.0.0.1:${port}
  default_backend gateway
backend gateway
  http-reuse always
  server one 127.0.0.1:${gatewayPort}
`,
  );
  return start(peer('haproxy'), ['-f', file, '-db'], port);
};
