import { Agent } from 'node:http';
import { expect } from 'vitest';
import { balancerPath, startBalancer } from '../../support/gateway/load-balancers.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

describeWithPeers(['nginx'], 'nginx as an HTTP/2 upstream that closes each connection after ten requests', () => {
  it('answers each of 6000 POSTs, a hundred at a time', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const nginxPort = await freePort();
    const file = folder.write(
      'nginx.conf',
      `daemon off; worker_processes 1; pid ${folder.file('nginx.pid')}; error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 10;
  client_body_temp_path ${folder.file('body')}; proxy_temp_path ${folder.file('proxy')};
  fastcgi_temp_path ${folder.file('fastcgi')}; uwsgi_temp_path ${folder.file('uwsgi')}; scgi_temp_path ${folder.file('scgi')};
  server { listen 127.0.0.1:${nginxPort} http2; location / { return 200 "ok"; } }
}`,
    );
    const nginx = await startBalancer(balancerPath('nginx'), ['-c', file, '-p', folder.path], nginxPort);
    cleanUp.add(() => nginx.stop());
    const stack = await startStack(cleanUp, {
      routes: 'route "h2" { priority "high"; matches { path-prefix "/h2" }; upstream "nginx" }',
      blocks: `upstreams { upstream "nginx" { target "127.0.0.1:${nginxPort}"; http-version "2" } }
        limits { max-connections-per-client 1000 }`,
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 100 });
    cleanUp.add(() => agent.destroy());
    const statuses = new Map<number, number>();
    const lane = async (): Promise<void> => {
      for (let count = 0; count < 60; count += 1) {
        const { status } = await stack.ask({ path: '/h2', method: 'POST', body: `order ${count}`, agent });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 100 }, lane));
    expect(Object.fromEntries(statuses)).toEqual({ 200: 6_000 });
  });
});
