import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = fileURLToPath(new URL('../../../dist/programs/main-gateway-auth.js', import.meta.url));
const patienceMs = 30_000;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `gateway-auth policy` as it is built, from the root of the repository. */
const policy = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'policy', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: patienceMs,
    });
    const written = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written.err += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...written }));
  });

describe.concurrent('the built gateway-auth policy', () => {
  it('checks the shipped policies', async ({ expect }) => {
    expect(await policy('check', '--strict', 'config/policies')).toEqual({
      code: 0,
      out: expect.stringMatching(/^\d+ policies: nothing is wrong\n$/),
      err: '',
    });
  });

  it('exits with 1 if the file does not exist', async ({ expect }) => {
    const { code, out, err } = await policy('check', 'config/policies/none.cedar');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('config/policies/none.cedar cannot be read: it does not exist');
  });

  it('runs the shipped cases', async ({ expect }) => {
    expect(await policy('test', '--quiet', 'config/policies/policies.test.kdl')).toEqual({
      code: 0,
      out: expect.stringMatching(/^(\d+) cases: \1 ok\n$/),
      err: '',
    });
  });

  it('explains a denial and exits with 0', async ({ expect }) => {
    const request = ['--principal', 'ann', '--role', 'reader', '--action', 'GET', '--resource', '/reports/7%3Aprint'];
    const { code, out, err } = await policy('explain', '--policies', 'config/policies', ...request);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^User::"ann" Action::"GET" Resource::"\/reports\/7%3Aprint"\ndeny by "one-spelling"\n/);
    expect(out).toContain('permit "readers-read": satisfied\n');
  });

  it('exits with 2 on wrong usage', async ({ expect }) => {
    const { code, out, err } = await policy('explain', '--policies', 'config/policies', '--action', 'FOO');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('error: --principal or --anonymous is missing');
  });

  it('decides the requests of a folder in the format of Cedar test cases', async ({ expect, onTestFinished }) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const request = (id: string) => ({
      principal: { type: 'Keeper', id },
      action: { type: 'Action', id: 'light' },
      resource: { type: 'Lamp', id: 'north' },
      context: {},
    });
    folder.write('lamps.cedar', 'permit(principal == Keeper::"ida", action, resource);');
    folder.write('lamps.entities.json', '[]');
    folder.write(
      'lamps.json',
      JSON.stringify({
        policies: 'lamps.cedar',
        entities: 'lamps.entities.json',
        requests: [request('ida'), request('otto')],
      }),
    );
    const { code, out, err } = await policy('corpus', folder.path);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { case: 'lamps', request: 0, decision: 'allow', reason: ['policy0'], errors: [] },
      { case: 'lamps', request: 1, decision: 'deny', reason: [], errors: [] },
    ]);
  });
});
