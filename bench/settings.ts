import { parseArgs } from 'node:util';
import { type Scenario, scenarios } from './scenarios.js';

export interface Settings {
  /** Length of one measured run. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly scenarios: readonly Scenario[];
  /** Names of contenders; null: all that can run. */
  readonly only: readonly string[] | null;
  /** Rounds in which something else used the proxy's core count too. */
  readonly keepNoisy: boolean;
  /** A file for the report; null: it is printed only. */
  readonly writeTo: string | null;
}

export const usage = `npm run bench -- [options]                 the proxies
npm run bench -- authentication [options]  what authentication costs; --help says more
npm run bench -- authorization [options]   what a policy decision costs; --help says more
npm run bench -- sessions-memory [options] what sessions in memory cost; so sessions-sqlite, sessions-redis
npm run bench -- exchange [options]        what an exchange of tokens costs; --help says more
npm run bench -- tracing [options]         what the trace of a request costs; --help says more
npm run bench -- overload [options]        what clients that nobody wants cost; --help says more
npm run bench -- streams [options]         what streams cost small requests; --help says more
npm run bench -- faults [options]          what clients feel of targets that fail; --help says more
npm run bench -- reloads [options]         what clients feel of reloads and upgrades; --help says more
npm run bench -- workers [options]         what a request costs in several processes; --help says more
npm run bench -- handshakes [options]      what a TLS handshake costs; --help says more
npm run bench -- upstream-tls [options]    what TLS to an upstream costs; --help says more
npm run bench -- compress [options]        what a compressed response costs; --help says more
npm run soak -- [options]                  20 minutes of load with reloads and faults; --help says more
  --seconds N      length of each measured run (default 5)
  --rounds N       rounds; in each, every proxy runs once (default 5)
  --connections N  keep-alive connections (default 64)
  --scenario NAME  ${scenarios.map(({ name }) => name).join(', ')}; may be repeated (default: all)
  --only NAME      a proxy to measure; may be repeated (default: all that are installed)
  --keep-noisy     count rounds in which something else used the proxy's core
  --write FILE     also write the tables to a file
  --help`;

/** A whole number above 0 of the command line. */
export const positive = (name: string, text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number above 0, not "${text}"`);
  return value;
};

/** Reads the command line; null where only help is wanted. Throws an Error that says what is wrong. */
export const readSettings = (args: readonly string[]): Settings | null => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '64' },
      scenario: { type: 'string', multiple: true },
      only: { type: 'string', multiple: true },
      'keep-noisy': { type: 'boolean', default: false },
      write: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const chosen = (values.scenario ?? scenarios.map(({ name }) => name)).map((name) => {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    if (scenario === undefined) throw new Error(`there is no scenario "${name}"`);
    return scenario;
  });
  return {
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    connections: positive('connections', values.connections),
    scenarios: chosen,
    only: values.only ?? null,
    keepNoisy: values['keep-noisy'],
    writeTo: values.write ?? null,
  };
};
