import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { HeaderList } from '../../../src/domain/http/header-list.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { startedTestAgent } from '../../support/agent/test-agent.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const program = fileURLToPath(new URL('../../../dist/programs/main-gateway-auth.js', import.meta.url));
const patienceMs = 30_000;

interface Command {
  /** What is written so far, to the standard output and to the standard error. */
  readonly written: { out: string; err: string };
  readonly exited: Promise<number | null>;
  type(text: string): void;
  end(): void;
  /** Resolves once the standard output matches. */
  shows(pattern: RegExp): Promise<void>;
}

const running = new Set<{ kill(): void }>();
afterEach(() => {
  for (const child of running) child.kill();
});

const start = (command: string, args: readonly string[]): Command => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: patienceMs });
  running.add(child);
  const written = { out: '', err: '' };
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.out += text;
    for (const watcher of watchers) watcher();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.err += text;
  });
  // One that ends without reading breaks the pipe.
  child.stdin.on('error', () => {});
  const exited = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      running.delete(child);
      resolve(code);
      for (const watcher of watchers) watcher();
    });
  });
  return {
    written,
    exited,
    type: (text) => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(written.out)) resolve();
          else if (!running.has(child)) reject(new Error(`it ended before it showed ${pattern}:\n${written.out}`));
          else return;
          watchers.delete(look);
        };
        watchers.add(look);
        look();
      }),
  };
};

/** Runs the built program with a standard input that is no terminal. */
const piped = async (args: readonly string[], input: string) => {
  const command = start(process.execPath, [program, ...args]);
  command.type(input);
  command.end();
  return { code: await command.exited, ...command.written };
};

const basic = (user: string, password: string): HeaderList => [
  'Authorization',
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`,
];

/** Status that an agent with these options gives; 200 where it lets the request pass. */
const statusOf = async (config: JsonObject, headers: HeaderList): Promise<number> => {
  const { agent, ask } = await startedTestAgent(config);
  const { decision } = await ask(headers);
  await agent.stop();
  if (decision.kind === 'block') return decision.status;
  return decision.kind === 'allow' ? 200 : 0;
};

describe('gateway-auth hash-password', () => {
  it.each([
    ['argon2id', /^ann:\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+\n$/],
    ['bcrypt', /^ann:\$2b\$12\$[./A-Za-z0-9]{53}\n$/],
    ['scrypt', /^ann:\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+\n$/],
  ])('prints an entry with %s that an agent accepts', async (algorithm, form) => {
    const hashed = await piped(['hash-password', '--algorithm', algorithm, '--user', 'ann'], 'correct hörse\n');
    expect(hashed).toMatchObject({ code: 0, err: '', out: expect.stringMatching(form) });
    const config = { 'basic-auth-users': hashed.out.trim() };
    expect(await statusOf(config, basic('ann', 'correct hörse'))).toBe(200);
    expect(await statusOf(config, basic('ann', 'correct horse'))).toBe(401);
    expect(await statusOf(config, basic('ann', hashed.out.trim().slice(4)))).toBe(401);
  });

  it('prints only an argon2id hash if no user is given', async () => {
    const { code, out } = await piped(['hash-password'], 'correct horse');
    expect(code).toBe(0);
    expect(out).toMatch(/^\$argon2id\$/);
  });

  it('refuses a password argument without repeating it', async () => {
    const { code, out, err } = await piped(['hash-password', 'hunter2'], '');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('other users can see this');
    expect(err).not.toContain('hunter2');
  });

  it('refuses an invalid password without repeating it', async () => {
    const long = await piped(['hash-password', '--algorithm', 'bcrypt'], 'hunter2 '.repeat(10));
    expect(long).toMatchObject({ code: 2, out: '', err: expect.stringContaining('72 bytes') });
    const two = await piped(['hash-password'], 'hunter2\nhunter3\n');
    expect(two).toMatchObject({ code: 2, out: '', err: expect.stringContaining('more than one line') });
    expect(long.err + two.err).not.toContain('hunter');
  });
});

describe('gateway-auth hash-key', () => {
  it('prints the entry of a key that an agent accepts', async () => {
    const key = 'a-key-of-some-twenty-characters';
    const { code, out, err } = await piped(['hash-key', '--name', 'reports'], `${key}\n`);
    expect([code, err]).toEqual([0, '']);
    const digest = createHash('sha256').update(key).digest('hex');
    expect(out).toBe(`sha256:${digest}:reports\n`);
    expect(await statusOf({ 'api-keys': out.trim() }, ['X-API-Key', key])).toBe(200);
    expect(await statusOf({ 'api-keys': out.trim() }, ['X-API-Key', digest])).toBe(401);
    expect(await statusOf({ 'api-keys': out.trim() }, ['X-API-Key', `sha256:${digest}`])).toBe(401);
  });

  it('generates a key and prints it separately from the entry', async () => {
    const { code, out, err } = await piped(['hash-key', '--generate', '--name', 'reports'], '');
    expect(code).toBe(0);
    const key = /^The key, .*: ([A-Za-z0-9_-]{43})$/m.exec(err)?.[1] ?? '';
    expect(out).toBe(`sha256:${createHash('sha256').update(key).digest('hex')}:reports\n`);
    expect(await statusOf({ 'api-keys': out.trim() }, ['X-API-Key', key])).toBe(200);
    const other = await piped(['hash-key', '--generate', '--name', 'reports'], '');
    expect(other.out).not.toBe(out);
  });

  it('refuses a key that is too short for a digest, without repeating it', async () => {
    const { code, out, err } = await piped(['hash-key'], 'hunter2');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('fewer than 20 characters');
    expect(err).not.toContain('hunter2');
  });
});

describe('the options of the agent', () => {
  it('work beside the commands', async () => {
    expect(await piped(['--test'], '')).toMatchObject({ code: 0, out: expect.stringContaining('No method') });
    expect(await piped(['hash-password', '--help'], '')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Usage:'),
    });
  });
});

describeWithPeers(['script'], 'at a terminal', () => {
  const atTerminal = (args: string): Command =>
    start('script', ['-qec', `"${process.execPath}" "${program}" ${args}`, '/dev/null']);

  it('hash-password asks twice and does not echo the input', async () => {
    const command = atTerminal('hash-password --user ann');
    await command.shows(/Password: /);
    command.type('correct horse\r');
    await command.shows(/Repeat the password: /);
    command.type('correct horse\r');
    expect(await command.exited).toBe(0);
    expect(command.written.out).not.toContain('correct');
    const entry = /ann:\$argon2id\$\S+/.exec(command.written.out)?.[0] ?? '';
    expect(await statusOf({ 'basic-auth-users': entry }, basic('ann', 'correct horse'))).toBe(200);
  });

  it('hash-password refuses two passwords that differ', async () => {
    const command = atTerminal('hash-password');
    await command.shows(/Password: /);
    command.type('correct horse\r');
    await command.shows(/Repeat the password: /);
    command.type('correct house\r');
    expect(await command.exited).toBe(2);
    expect(command.written.out).toContain('error: the two entries differ');
    expect(command.written.out).not.toContain('correct');
  });

  it('hash-key asks once and exits on Ctrl-C', async () => {
    const command = atTerminal('hash-key');
    await command.shows(/API key: /);
    command.type('a-key-of-some-twenty-');
    command.type('\x03');
    expect(await command.exited).toBe(130);
    expect(command.written.out).not.toContain('a-key');
  });
});
