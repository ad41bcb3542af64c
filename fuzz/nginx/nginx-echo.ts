import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as nginx has read it; texts have one character for each octet. */
export interface NginxMessage {
  /** The request line, as it was sent. */
  readonly line: string;
  readonly status: number;
  /** Octets of the stream that were its own: line, fields, body and its framing. */
  readonly octets: number;
  readonly body: string;
  /**
   * The value of each of `comparedNames`, or several in one; empty where there is none, for nginx does not tell the
   * two apart.
   */
  readonly fields: Readonly<Record<string, string>>;
}

/** Names of fields as nginx writes them in its variables: in lower case, with `_` for `-` too. */
export const comparedNames = [
  'host',
  'accept',
  'connection',
  'content_length',
  'content_type',
  'cookie',
  'expect',
  'keep_alive',
  'proxy_connection',
  'te',
  'trailer',
  'transfer_encoding',
  'upgrade',
  'x_a',
  'x_b',
  'x_c',
  'x_forwarded_for',
] as const;

/** One line of its log. */
interface LogLine extends NginxMessage {
  readonly port: number;
}

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Where nginx is installed; null where it is not. */
export const installedNginx = (): string | null => {
  for (const folder of folders) {
    try {
      accessSync(join(folder, 'nginx'), constants.X_OK);
      return join(folder, 'nginx');
    } catch {
      // Not in this folder.
    }
  }
  return null;
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** Every field is noted as it was read, and each body, for it has to be read to be passed on. */
const configuration = (folder: string, port: number): string => `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; worker_processes 1; pid ${folder}/pid;
error_log ${folder}/error.log crit;
events { worker_connections 1024; }
http {
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  log_format seen escape=json '{"port":$remote_port,"status":$status,"octets":$request_length,"line":"$request","body":"$request_body","fields":{${comparedNames.map((name) => `"${name}":"$http_${name}"`).join(',')}}}';
  large_client_header_buffers 8 64k; client_body_buffer_size 256k; client_body_in_single_buffer on; client_max_body_size 0;
  ignore_invalid_headers off; underscores_in_headers on; merge_slashes off;
  keepalive_requests 100000; client_header_timeout 2s; client_body_timeout 2s; lingering_close off; reset_timedout_connection on;
  server {
    listen unix:${folder}/back.sock; access_log off;
    location / { return 204; }
  }
  server {
    listen 127.0.0.1:${port}; access_log ${folder}/seen.log seen;
    location / {
      proxy_pass http://unix:${folder}/back.sock:; proxy_request_buffering on; proxy_ignore_client_abort on;
      proxy_method GET; proxy_set_body ""; proxy_pass_request_headers off; proxy_set_header Host back;
    }
  }
}
`;

const startMs = 5_000;
const patienceMs = 4_000;

/** A real nginx that notes what it reads. */
export class NginxEcho {
  readonly #folder: string;
  readonly #port: number;
  readonly #child: ChildProcess;
  readonly #log: number;
  #rest = '';
  readonly #seen = new Map<number, LogLine[]>();
  readonly #chunk = Buffer.alloc(1_048_576);

  private constructor(folder: string, port: number, child: ChildProcess, log: number) {
    this.#folder = folder;
    this.#port = port;
    this.#child = child;
    this.#log = log;
  }

  static async start(program: string): Promise<NginxEcho> {
    const folder = mkdtempSync(join(tmpdir(), 'pc-fuzz-nginx-'));
    const port = await freePort();
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, configuration(folder, port));
    const child = spawn(program, ['-e', join(folder, 'error.log'), '-p', folder, '-c', file], { stdio: 'ignore' });
    process.once('exit', () => child.kill('SIGTERM'));
    for (const endsMs = performance.now() + startMs; ; ) {
      const isUp = await new Promise<boolean>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port }, () => resolve(true)).on('error', () => resolve(false));
        socket.on('connect', () => socket.destroy());
      });
      if (isUp) break;
      if (performance.now() > endsMs || child.exitCode !== null) throw new Error('nginx does not start');
      await sleep(20);
    }
    return new NginxEcho(folder, port, child, openSync(join(folder, 'seen.log'), 'r'));
  }

  /** Sends octets on a connection of their own, and their end; gives what nginx has made of them. */
  read(octets: Uint8Array): Promise<readonly NginxMessage[]> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true });
      let port = 0;
      const deadline = setTimeout(() => socket.destroy(), patienceMs);
      socket.on('connect', () => {
        port = socket.localPort ?? 0;
        this.#seen.set(port, []);
        socket.end(octets);
      });
      socket.on('error', () => undefined);
      socket.resume();
      socket.on('close', () => {
        clearTimeout(deadline);
        this.#readLog();
        const seen = this.#seen.get(port) ?? [];
        this.#seen.delete(port);
        resolve(seen);
      });
    });
  }

  /** INVARIANT: a line is written before its connection is closed. */
  #readLog(): void {
    for (;;) {
      const count = readSync(this.#log, this.#chunk, 0, this.#chunk.length, null);
      if (count === 0) break;
      this.#rest += this.#chunk.toString('latin1', 0, count);
    }
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const text of lines) {
      const line = JSON.parse(text) as LogLine;
      this.#seen.get(line.port)?.push(line);
    }
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    closeSync(this.#log);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
