import { chmodSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkConfigurationFile } from '../../../../src/bootstrap/gateway/check-gateway.js';
import { printConfiguration } from '../../../../src/bootstrap/gateway/print-configuration.js';
import { type TemporaryFolder, temporaryFolder } from '../../../support/shared/temporary-folder.js';

const text = `listeners { listener "http" { address "127.0.0.1:8080" } }
routes { route "all" { matches { path-prefix "/" }; upstream "u" } }
upstreams { upstream "u" { target "127.0.0.1:8081" } }
`;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const namesOf = async (file: string): Promise<readonly string[]> =>
  (await checkConfigurationFile(file)).problems.flatMap(({ id }) => id ?? []);

describe('config check', () => {
  it('prints nothing for a current and safe file', async () => {
    const { problems, summary } = await checkConfigurationFile(folder.write('gateway.kdl', text));
    expect(problems).toEqual([]);
    expect(summary).toContain('is fine');
  });

  it('warns about a file with a secret that others can read', async () => {
    const file = folder.write('gateway.kdl', `${text}admin { token "0123456789" }\n`);
    chmodSync(file, 0o644);
    expect(await namesOf(file)).toEqual(['secrets-readable-by-others', 'plain-secret']);
    chmodSync(file, 0o640);
    expect(await namesOf(file)).toEqual(['plain-secret']);
  });

  it('shows the line of a redirect that never ends, and reads the file of a response', async () => {
    const routes = `route "loop" { matches { path-prefix "/l" }
      redirect { to "https://{host}{path_query}" } }
    route "page" { matches { path "/p" }; respond { body-file "${folder.file('gone.html')}" } }`;
    const file = folder.write('gateway.kdl', text.replace('routes { ', `routes { ${routes}\n`));
    const { problems, summary } = await checkConfigurationFile(file);
    expect(summary).toBeNull();
    const [loop] = problems.filter(({ id }) => id === 'redirect-loop');
    expect(loop?.position).toMatchObject({ file, line: 3 });
    expect(problems.map(({ message }) => message)).toContain(
      `route "page": body-file: the file ${folder.file('gone.html')} cannot be read: it does not exist`,
    );
  });

  it('names files in an older form, readable or not', async () => {
    folder.write('more.kdl', 'limits { max-requests-per-second-global null; }\n');
    const file = folder.write('gateway.kdl', `include "more.kdl"\nserver { }\n${text}`);
    const { problems, summary } = await checkConfigurationFile(file);
    expect(summary).toBeNull();
    const deprecated = problems.filter(({ id }) => id === 'deprecated-form');
    expect(deprecated.map(({ position }) => `${position?.file}:${position?.line}`).toSorted()).toEqual([
      `${file}:2`,
      `${folder.file('more.kdl')}:1`,
    ]);
    expect(deprecated[0]?.suggestion).toContain('gateway config migrate');
  });
});

describe('config print', () => {
  it('shows redirects and responses with their defaults, and what defaults add to their routes', async () => {
    const routes = `route "r" { matches { scheme "http"; path "/r" }; redirect { to "https://{host}/" } }
    route "b" { matches { path "/b" }; respond { body "ok" } }`;
    const defaults = 'defaults { policies { compress { }; response-headers { set { "X-Frame-Options" "DENY" } } } }';
    const file = folder.write('gateway.kdl', `${text.replace('routes { ', `routes { ${routes}\n`)}${defaults}\n`);
    const first = await printConfiguration(file, 'kdl');
    expect(await printConfiguration(folder.write('printed.kdl', first.stdout), 'kdl')).toEqual(first);
    const { stdout } = await printConfiguration(file, 'json');
    const { route } = JSON.parse(stdout).routes;
    expect(route[0]).toMatchObject({
      redirect: { to: 'https://{host}/', status: 307 },
      policies: { 'response-headers': { set: { 'X-Frame-Options': 'DENY' } } },
    });
    expect(route[0].policies).not.toHaveProperty('compress');
    expect(route[1].respond).toEqual({ status: 200, body: 'ok' });
  });

  it('prints its own output unchanged', async () => {
    const first = await printConfiguration(folder.write('gateway.kdl', text), 'kdl');
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await printConfiguration(folder.write('printed.kdl', first.stdout), 'kdl')).toEqual(first);
    const json = await printConfiguration(folder.file('printed.kdl'), 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      upstreams: { upstream: [{ name: 'u', target: ['127.0.0.1:8081'] }] },
    });
  });

  it('reports errors of an invalid file, and prints no configuration', async () => {
    const { stdout, stderr, exitCode } = await printConfiguration(folder.write('gateway.kdl', 'listeners { }'), 'kdl');
    expect([stdout, exitCode]).toEqual(['', 1]);
    expect(stderr).toContain('there is no listener');
  });
});
