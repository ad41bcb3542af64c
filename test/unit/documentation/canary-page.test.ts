import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../support/gateway/configuration-files.js';
import { documentationPage, fencedBlocks, mainExample } from '../../support/shared/documentation-examples.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const page = 'docs/guides/canary.md';
const commands = fencedBlocks(documentationPage(page))
  .filter(({ info }) => info === 'sh')
  .map(({ text }) => text)
  .join('\n');

describe('the guide to canaries', () => {
  it('has commands whose every step is a sound configuration with the weights that the guide says', async () => {
    folder.write('gateway.kdl', mainExample(page));
    const steps = folder.write('steps', '');
    // The stubs keep the file of each reload.
    const stubs = `count=0
      gateway() { [ "$*" = 'reload --config gateway.kdl' ] && count=$((count + 1)) && cp gateway.kdl "step-$count.kdl"; }
      sleep() { [ "$1" = 1800 ]; }`;
    const script = `${stubs}\n${commands}\ncanary 0\necho "$count" > '${steps}'`;
    const { status, stderr } = spawnSync('bash', ['--norc', '-euc', script], {
      cwd: folder.path,
      encoding: 'utf8',
      // A socket there makes bash take itself for a remote shell, which reads the machine's own files first.
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 40_000,
    });
    expect([status, stderr]).toEqual([0, '']);
    const taken = [5, 25, 50, 100, 0];
    expect(Number(readFileSync(steps, 'utf8'))).toBe(taken.length);
    for (const [index, percent] of taken.entries()) {
      const { configuration, problems } = await loadConfiguration(folder.file(`step-${index + 1}.kdl`), {
        ADMIN_TOKEN: 'token',
      });
      expect(problems).toEqual([]);
      expect(configuration?.routes[0]?.split?.sides).toEqual([
        { upstream: 'stable', weight: 100 - percent },
        { upstream: 'canary', weight: percent },
      ]);
    }
  });
});
