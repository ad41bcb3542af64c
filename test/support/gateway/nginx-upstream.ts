import type { CleanUp } from '../shared/clean-up.js';
import type { RunningProcess } from '../shared/processes.js';
import { type TemporaryFolder, temporaryFolder } from '../shared/temporary-folder.js';
import { balancerPath, startBalancer } from './load-balancers.js';

/** nginx as an upstream. */
export interface NginxUpstream {
  readonly process: RunningProcess;
  readonly folder: TemporaryFolder;
  /** Reads the configuration and its certificates again, in a new worker. */
  reload(): Promise<void>;
}

/**
 * Starts nginx with these `server` blocks; resolves once it listens on the port, of 127.0.0.1.
 *
 * @param http directives beside the servers
 */
export const startNginxUpstream = async (
  cleanUp: CleanUp,
  port: number,
  servers: string,
  http = '',
): Promise<NginxUpstream> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const file = folder.write(
    'nginx.conf',
    `daemon off; worker_processes 1; pid ${folder.file('nginx.pid')}; error_log stderr notice;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder.file('body')}; proxy_temp_path ${folder.file('proxy')};
  fastcgi_temp_path ${folder.file('fastcgi')}; uwsgi_temp_path ${folder.file('uwsgi')}; scgi_temp_path ${folder.file('scgi')};
  ${http}
  ${servers}
}
`,
  );
  const process = await startBalancer(balancerPath('nginx'), ['-p', folder.path, '-e', 'stderr', '-c', file], port);
  cleanUp.add(() => process.stop());
  return {
    process,
    folder,
    reload: async () => {
      const before = process.output().length;
      process.signal('SIGHUP');
      await process.wrote(new RegExp(`^[\\s\\S]{${before}}[\\s\\S]*worker process \\d+ exited`));
    },
  };
};
