import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../support/gateway/configuration-files.js';
import { tcpAddress } from '../../support/gateway/tcp-address.js';
import { documentationPage, fencedBlocks, mainExample } from '../../support/shared/documentation-examples.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const page = 'docs/guides/upgrading.md';
const canary = fencedBlocks(documentationPage(page)).find(({ text }) => text.startsWith('for weight in'))?.text ?? '';

describe('the guide to upgrades', () => {
  it('has a loop for a canary whose every step is a sound configuration with the weights that the guide says', async () => {
    const file = folder.write('gateway.kdl', mainExample(page));
    const steps = folder.write('steps', '');
    // What the loop asks of the gateway and of time is noted: the file as it is then.
    const stubs = `gateway() { [ "$*" = 'reload --config gateway.kdl' ]; }; sleep() { cp gateway.kdl "step-$weight.kdl"; echo "$weight" >> '${steps}'; };`;
    const { status, stderr } = spawnSync('bash', ['--norc', '-euc', `${stubs}\n${canary}`], {
      cwd: folder.path,
      encoding: 'utf8',
      // A socket there makes bash take itself for a remote shell, which reads the machine's own files first.
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 40_000,
    });
    expect([status, stderr]).toEqual([0, '']);
    const taken = readFileSync(steps, 'utf8').trim().split('\n').map(Number);
    expect(taken).toEqual([5, 10, 25, 50, 75, 100]);
    for (const weight of taken) {
      const { configuration, problems } = await loadConfiguration(folder.file(`step-${weight}.kdl`));
      expect(problems).toEqual([]);
      const targets = configuration?.upstreams.flatMap((upstream) => upstream.targets) ?? [];
      expect(targets.map((target) => [tcpAddress(target.address).port, target.weight])).toEqual([
        [8001, 100 - weight],
        [8002, weight],
      ]);
    }
    expect(readFileSync(file, 'utf8')).toContain('weight 100');
  });
});
