import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { recordedListener } from '../../../../support/gateway/tls-listener.js';
import { it } from '../../../../support/shared/fixtures.js';

const hasSs = spawnSync('ss', ['-V']).status === 0;

it.skipIf(!hasSs)('the accept backlog is the system maximum, up to 4096', async ({ cleanUp }) => {
  const { listener } = await recordedListener(cleanUp, null);
  const allowed = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  // State, Recv-Q and, for a socket that listens, what its queue takes.
  const [, , queue] = execFileSync('ss', ['-Hltn', `sport = :${listener.address().port}`], {
    encoding: 'utf8',
  }).split(/\s+/);
  expect(Number(queue)).toBe(Math.min(allowed, 4_096));
});
