import { spawn } from 'node:child_process';

/** What the generator saw. */
export interface WrkOutcome {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Socket errors and answers other than 2xx and 3xx. */
  readonly errors: number;
}

const unitsMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 };

const percentile = (text: string, percent: number): number => {
  const found = new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s|m)$`, 'm').exec(text);
  return found === null ? Number.NaN : Number(found[1]) * (unitsMs[found[2] ?? ''] ?? Number.NaN);
};

const number = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? '0');

/** Reads what `wrk --latency` prints. */
export const parseWrk = (text: string): WrkOutcome => {
  const socketErrors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text);
  const failed = (socketErrors ?? []).slice(1).reduce((sum, count) => sum + Number(count), 0);
  return {
    requests: number(text, /(\d+) requests in /),
    requestsPerSecond: number(text, /Requests\/sec:\s+([\d.]+)/),
    p50Ms: percentile(text, 50),
    p99Ms: percentile(text, 99),
    errors: failed + number(text, /Non-2xx or 3xx responses: (\d+)/),
  };
};

/** Runs wrk with one thread on a core. */
export const runWrk = (
  wrk: string,
  core: number | string,
  options: {
    readonly url: string;
    readonly seconds: number;
    readonly connections: number;
    readonly headers: readonly string[];
    /** A script of wrk's; null: it sends GETs. */
    readonly script?: string | null;
  },
): Promise<WrkOutcome> =>
  new Promise((resolve, reject) => {
    const { url, seconds, connections, headers, script = null } = options;
    const args = [
      '--latency',
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      ...headers.flatMap((line) => ['-H', line]),
      ...(script === null ? [] : ['-s', script]),
      url,
    ];
    const child = spawn('taskset', ['-c', String(core), wrk, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (text: string): void => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(parseWrk(output));
      else reject(new Error(`wrk ended with ${code}:\n${output}`));
    });
  });
