import type { OpensslCertificate } from '../shared/openssl-certificates.js';
import { peerPath } from '../shared/peers.js';
import { type RunningProcess, startProcess, untilListening } from '../shared/processes.js';
import type { TemporaryFolder } from '../shared/temporary-folder.js';

/** A balancer that ends TLS, and asks its clients for a certificate without requiring one. */
export interface BalancerTls {
  readonly server: OpensslCertificate;
  /** Authorities of clients. */
  readonly authorities: readonly OpensslCertificate[];
}

const authoritiesFile = (folder: TemporaryFolder, { authorities }: BalancerTls): string =>
  folder.write('authorities.pem', authorities.map(({ certificate }) => certificate).join(''));

/** Where a balancer is installed; fails where it is not. */
export const balancerPath = (name: 'nginx' | 'haproxy' | 'caddy'): string => {
  const path = peerPath(name);
  if (path === null) throw new Error(`${name} is not installed: use describeWithPeers`);
  return path;
};

/** Starts a balancer; resolves once it takes connections on this port. */
export const startBalancer = async (
  command: string,
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProcess> => {
  const balancer = startProcess(command, args, { env });
  try {
    await untilListening(balancer, port);
    return balancer;
  } catch (error) {
    await balancer.stop();
    throw error;
  }
};

const nginxTls = (folder: TemporaryFolder, tls: BalancerTls): string => `
    ssl_certificate ${tls.server.certificateFile};
    ssl_certificate_key ${tls.server.keyFile};
    ssl_client_certificate ${authoritiesFile(folder, tls)};
    ssl_verify_client optional;
    ssl_verify_depth 3;`;

/**
 * nginx in front of a gateway as people run it: keep-alive upstream, X-Forwarded-For appended, large bodies; with `tls`
 * the client's certificate in X-Client-Cert.
 */
export const startNginx = (
  folder: TemporaryFolder,
  port: number,
  gatewayPort: number,
  tls: BalancerTls | null = null,
): Promise<RunningProcess> => {
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
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''};${tls ? nginxTls(folder, tls) : ''}
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
      ${tls ? 'proxy_set_header X-Client-Cert $ssl_client_escaped_cert;' : ''}
    }
  }
}
`,
  );
  return startBalancer(balancerPath('nginx'), ['-p', folder.path, '-e', 'stderr', '-c', file], port);
};

const haproxyTls = (folder: TemporaryFolder, tls: BalancerTls): string => {
  const { certificate, key } = tls.server;
  const combined = folder.write('haproxy.pem', certificate + key);
  return ` ssl crt ${combined} ca-file ${authoritiesFile(folder, tls)} verify optional`;
};

const haproxyCertificate = `
  http-request del-header X-Client-Cert
  http-request set-header X-Client-Cert %[ssl_c_der,base64] if { ssl_c_used }`;

/** haproxy in front of a gateway, with `option forwardfor`; with `tls` the client's certificate in X-Client-Cert. */
export const startHaproxy = (
  folder: TemporaryFolder,
  port: number,
  gatewayPort: number,
  tls: BalancerTls | null = null,
): Promise<RunningProcess> => {
  const bound = tls ? haproxyTls(folder, tls) : '';
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
  bind 127.0.0.1:${port}${bound}${tls ? haproxyCertificate : ''}
  default_backend gateway
backend gateway
  http-reuse always
  server one 127.0.0.1:${gatewayPort}
`,
  );
  return startBalancer(balancerPath('haproxy'), ['-f', file, '-db'], port);
};

/**
 * haproxy in front of a gateway that passes connections on as they are, with these options of its server line, such as
 * `send-proxy`; `check` is what it looks after the gateway with, lines of their own.
 */
export const startPassingHaproxy = (
  folder: TemporaryFolder,
  port: number,
  gatewayPort: number,
  serverOptions: string,
  check = '',
): Promise<RunningProcess> => {
  const file = folder.write(
    'haproxy.cfg',
    `global
  maxconn 512
defaults
  mode tcp
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen front
  bind 127.0.0.1:${port}
  ${check}
  server one 127.0.0.1:${gatewayPort} ${serverOptions}
`,
  );
  return startBalancer(balancerPath('haproxy'), ['-f', file, '-db'], port);
};

/** caddy in front of a gateway; it ends TLS, and brings the client's certificate in X-Client-Cert. */
export const startCaddy = (
  folder: TemporaryFolder,
  port: number,
  gatewayPort: number,
  { server, authorities }: BalancerTls,
): Promise<RunningProcess> => {
  // Of a file with several it reads the first.
  const trusted = authorities.map(({ certificateFile }) => `trusted_ca_cert_file ${certificateFile}`);
  const file = folder.write(
    'Caddyfile',
    `{
  admin off
  auto_https off
  default_bind 127.0.0.1
}
https://localhost:${port} {
  tls ${server.certificateFile} ${server.keyFile} {
    client_auth {
      mode verify_if_given
      ${trusted.join('\n      ')}
    }
  }
  reverse_proxy 127.0.0.1:${gatewayPort} {
    header_up X-Client-Cert {http.request.tls.client.certificate_der_base64}
  }
}
`,
  );
  return startBalancer(balancerPath('caddy'), ['run', '--config', file, '--adapter', 'caddyfile'], port, {
    XDG_CONFIG_HOME: folder.path,
    XDG_DATA_HOME: folder.path,
  });
};
