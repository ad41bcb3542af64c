import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';
import { asAdmin, startWorkerStack } from '../../support/shared/worker-stack.js';

it('records the reload that removes the audit log, and its end, before it ends', async ({ cleanUp }) => {
  const folder = temporaryFolder();
  cleanUp.add(folder.remove);
  const file = folder.file('audit.log');
  const stack = await startWorkerStack(cleanUp, { blocks: `audit { file "${file}" }` });
  const records = (): readonly Readonly<Record<string, unknown>>[] =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  stack.rewrite({ blocks: '' });
  expect((await asAdmin(stack, '/admin/reload', 'POST')).status).toBe(200);
  await untilTrue('the log has ended', () => records().some(({ event }) => event === 'audit'));
  const last = records().slice(-3);
  expect(last.slice(0, 2)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ event: 'configuration', outcome: 'loaded' }),
      expect.objectContaining({
        event: 'admin',
        outcome: 'carried_out',
        path: '/admin/reload',
        client_ip: '127.0.0.1',
      }),
    ]),
  );
  expect(last[2]).toMatchObject({ event: 'audit', outcome: 'ended' });
});
