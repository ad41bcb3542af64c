import { spawn } from 'node:child_process';

export interface HandshakeLoad {
  readonly openssl: string;
  readonly core: number;
  readonly port: number;
  readonly seconds: number;
  /** Processes of `openssl s_time`; each keeps one connection busy. */
  readonly clients: number;
  /** Options of `openssl s_time` besides those of the load. */
  readonly options: readonly string[];
}

/** s_time ends its path with ` HTTP/1.0`: it goes into a header field, so that the request is HTTP/1.1. */
const request = [
  '/orders/17 HTTP/1.1',
  'Host: shop.example.com',
  'User-Agent: bench',
  'Accept: application/json',
  'Connection: close',
  'X-Rest:',
].join('\r\n');

const runOne = ({ openssl, core, port, seconds, options }: HandshakeLoad): Promise<number> =>
  new Promise((resolve, reject) => {
    const given = ['s_time', '-connect', `127.0.0.1:${port}`, '-time', String(seconds), '-www', request, ...options];
    const child = spawn('taskset', ['-c', String(core), openssl, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('latin1').on('data', (text: string) => {
      output = (output + text).slice(-2_000);
    });
    child.stderr.setEncoding('latin1').on('data', (text: string) => {
      errors = (errors + text).slice(-2_000);
    });
    child.on('error', reject);
    child.on('close', () => {
      const found = /(\d+) connections in \d+ real seconds, (\d+) bytes read per connection/.exec(output);
      const [count, octets] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
      // Fewer octets than the body are errors or an answer that is none.
      if (count > 0 && octets > 1_000) resolve(count);
      else reject(new Error(`openssl s_time: ${count} connections, ${octets} octets each\n${output}\n${errors}`));
    });
  });

/** Connections, each with a handshake and a request, that the server has served. */
export const runHandshakes = async (load: HandshakeLoad): Promise<number> => {
  const counts = await Promise.all(Array.from({ length: load.clients }, () => runOne(load)));
  return counts.reduce((sum, count) => sum + count, 0);
};
