import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePolicyArguments } from '../../../src/adapters/inbound/policy-command-line/parse-policy-arguments.js';
import { runPolicyCommand } from '../../../src/adapters/inbound/policy-command-line/run-policy-command.js';
import { KdlPolicyTestSource } from '../../../src/adapters/outbound/kdl-configuration/kdl-policy-test-source.js';
import { NodePolicyFiles } from '../../../src/adapters/outbound/node-text-files/node-policy-files.js';
import { documentationPage, fencedBlocks, repositoryRoot } from '../../support/shared/documentation-examples.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const name = 'docs/guides/policy-testing.md';
const prompt = '$ gateway-auth policy ';
const blocks = fencedBlocks(documentationPage(name));
const sessions = blocks.filter(({ text }) => text.startsWith(prompt)).map(({ text }) => text);

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write('reports.cedar', blocks.find(({ info }) => info === 'cedar')?.text ?? '');
  folder.write('reports.test.kdl', blocks.find(({ text }) => text.startsWith('policies "'))?.text ?? '');
});
afterAll(() => folder.remove());

/** The files of the page are in the temporary folder, those of the repository in the repository. */
const placed = (argument: string): string => {
  if (argument.startsWith('config/')) return join(repositoryRoot, argument);
  return argument.startsWith('reports.') ? folder.file(argument) : argument;
};

/** A command line and what the program says to it, as a terminal shows them. */
const session = async (line: string): Promise<string> => {
  const command = parsePolicyArguments(line.slice(prompt.length).split(' ').map(placed));
  if (command.kind === 'usage' || command.kind === 'corpus') throw new Error(`not run: ${line}`);
  const { stdout, stderr } = await runPolicyCommand(command, {
    files: new NodePolicyFiles(),
    tests: new KdlPolicyTestSource({}),
    agentBlocks: () => {
      throw new Error('no configuration is asked for');
    },
  });
  const said = `${stderr}${stdout}`.replaceAll(`${folder.path}/`, '').replaceAll(repositoryRoot, '');
  return `${line}\n${said}`;
};

describe('the guide to testing policies', () => {
  it('shows commands', () => {
    expect(sessions.map((text) => text.split(' ')[3])).toEqual(['check', 'test', 'test', 'explain']);
  });

  it.each(sessions.map((text) => [text.split('\n')[0] ?? '', text]))(
    'shows what the program says (UPDATE_DOCS=1 writes it): %s',
    async (line, shown) => {
      const said = await session(line);
      if (process.env['UPDATE_DOCS'] === '1') {
        const page = join(repositoryRoot, name);
        writeFileSync(
          page,
          readFileSync(page, 'utf8').replace(`\`\`\`\n${shown}`, () => `\`\`\`\n${said}`),
        );
      } else {
        expect(shown).toBe(said);
      }
    },
  );
});
