import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { deployFile, readDeployFile } from '../../support/shared/deploy-files.js';
import { describeWithPeers, peerPath } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const outputOf = (program: string, words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: 30_000 });
  return { status, output: stdout + stderr };
};

describeWithPeers(['systemd-analyze'], 'the units', () => {
  const analyze = peerPath('systemd-analyze') ?? '';
  const verified = (name: string, text: string) =>
    outputOf(analyze, ['verify', '--man=no', '--recursive-errors=no', folder.write(name, text)]);
  /** The programs of the package are not installed where tests run. */
  const withPrograms = (text: string): string => text.replace(/\/usr\/bin\/gateway(-auth)?(?= )/g, '/bin/true');
  const names = readdirSync(deployFile('systemd')).filter((name) => /\.(service|socket)$/.test(name));

  it('contain nothing unknown to systemd', () => {
    expect(names).toHaveLength(3);
    for (const name of names) {
      expect([name, verified(name, withPrograms(readDeployFile(`systemd/${name}`)))]).toEqual([
        name,
        { status: 0, output: '' },
      ]);
    }
  });

  it('would be reported if invalid', () => {
    const text = withPrograms(readDeployFile('systemd/portcullis-gateway.service'));
    const { output } = verified('wrong.service', text.replace('ProtectSystem=strict', 'ProtectSistem=strict'));
    expect(output).toContain('ProtectSistem');
  });
});

describeWithPeers(['haproxy'], 'the load balancer of the compose file', () => {
  it('has a configuration that haproxy accepts', () => {
    const { status, output } = outputOf(peerPath('haproxy') ?? '', ['-c', '-f', deployFile('container/haproxy.cfg')]);
    expect(output.replace(/^.*could not resolve address 'gateway-(one|two)'.*\n/gm, '')).not.toContain('WARNING');
    expect(output).toContain('Configuration file is valid');
    expect(status).toBe(0);
  });
});
