import { spawn } from 'node:child_process';

export interface OpensslSession {
  /** The handshake resumed the session of `from`. */
  readonly isResumed: boolean;
  /** Everything that `openssl s_client` wrote. */
  readonly output: string;
}

export interface OpensslClient {
  readonly port: number;
  readonly version: '1.2' | '1.3';
  /** Server name of the client; none if absent. */
  readonly servername?: string;
  /** File with the session to resume. */
  readonly from?: string;
  /** File for the session of this handshake. */
  readonly to?: string;
  /** Speaks HTTP/2. Otherwise it sends a GET in HTTP/1.1. */
  readonly isHttp2?: boolean;
  /** Further options, such as `-cert`. */
  readonly options?: readonly string[];
}

const request = 'GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';

/** Preface, SETTINGS and GOAWAY: the server ends the connection (RFC 9113, sections 3.4 and 6.8). */
const http2 = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
  Buffer.from('000000040000000000', 'hex'),
  Buffer.from('0000080700000000000000000000000000', 'hex'),
]);

/** One connection of `openssl s_client`, up to its end. Resolves also where the server refuses it. */
export const opensslSession = (client: OpensslClient): Promise<OpensslSession> => {
  const { port, version, servername, from, to, isHttp2 = false, options = [] } = client;
  const args = [
    's_client',
    '-connect',
    `127.0.0.1:${port}`,
    version === '1.2' ? '-tls1_2' : '-tls1_3',
    '-ign_eof',
    '-alpn',
    isHttp2 ? 'h2' : 'http/1.1',
    ...(servername === undefined ? ['-noservername'] : ['-servername', servername]),
    ...(from === undefined ? [] : ['-sess_in', from]),
    ...(to === undefined ? [] : ['-sess_out', to]),
    ...options,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const cut = setTimeout(() => child.kill('SIGKILL'), 20_000);
    let output = '';
    const keep = (text: string): void => {
      output += text;
    };
    child.stdout.setEncoding('latin1').on('data', keep);
    child.stderr.setEncoding('latin1').on('data', keep);
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(isHttp2 ? http2 : request);
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(cut);
      resolve({ isResumed: /^Reused, TLS/m.test(output), output });
    });
  });
};
