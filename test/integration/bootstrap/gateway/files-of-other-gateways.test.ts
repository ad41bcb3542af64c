import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrateText } from '../../../../src/adapters/outbound/kdl-configuration/migrate-text.js';
import { checkConfigurationFile } from '../../../../src/bootstrap/gateway/check-gateway.js';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';
import { startDocumented } from '../../../support/gateway/documented-gateway.js';
import { migrationCorpus } from '../../../support/gateway/migration-corpus.js';
import { RecordingUpstream } from '../../../support/gateway/recording-upstream.js';
import { CleanUp } from '../../../support/shared/clean-up.js';
import { type TemporaryFolder, temporaryFolder } from '../../../support/shared/temporary-folder.js';

/** Files in the words of other gateways that are written in KDL. */
const family = migrationCorpus().filter(({ name }) => name.startsWith('family-'));
const documentedPorts = [3000, 3001, 3002];

const cleanUp = new CleanUp();
const runs = new CleanUp();
const ports: Record<number, number> = {};
let folder: TemporaryFolder;

beforeAll(async () => {
  folder = temporaryFolder();
  for (const documented of documentedPorts) {
    const upstream = new RecordingUpstream((request, response) => {
      request.resume().once('end', () => response.end(`from ${documented}`));
    });
    ports[documented] = await upstream.listen();
    cleanUp.add(() => upstream.close());
  }
});
afterEach(() => runs.run());
afterAll(async () => {
  await cleanUp.run();
  folder.remove();
});

it('has at least fifteen files', () => {
  expect(family.length).toBeGreaterThanOrEqual(15);
});

describe.each(family)('$name', ({ name, old, requests }) => {
  it('is explained by config check without unknown keys', async () => {
    const { problems } = await checkConfigurationFile(folder.write(`${name}.kdl`, old));
    const messages = problems.map(({ message }) => message);
    expect(messages).not.toEqual([]);
    expect(messages.filter((message) => message.startsWith('unknown key'))).toEqual([]);
    const unexplained = problems.filter(({ severity, suggestion }) => severity === 'error' && suggestion === null);
    expect(unexplained.map(formatProblem)).toEqual([]);
  });

  it('is valid after migration, and serves its first request', async () => {
    const { text, left } = migrateText(old);
    expect(left).toEqual([]);
    const { problems, summary } = await checkConfigurationFile(folder.write(`${name}.migrated.kdl`, text));
    expect(problems.map(formatProblem)).toEqual([]);
    expect(summary).toContain('is fine');
    const used = Object.fromEntries(Object.entries(ports).filter(([port]) => text.includes(`:${port}"`)));
    const running = await startDocumented(runs, text.replaceAll('0.0.0.0:', '127.0.0.1:'), { ports: used });
    const [first] = requests;
    const path = first?.request.path ?? '/';
    const answer = await running.ask(8080, { path });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatch(path === '/health' ? /healthy/ : /^from 300\d$/);
    const [record] = running.accessRecords;
    expect(record?.route).toBe(first?.route);
  });
});
