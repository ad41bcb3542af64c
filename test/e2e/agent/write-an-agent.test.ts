import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { type Echo, echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { CleanUp } from '../../support/shared/clean-up.js';
import { documentationPage, fencedBlocks, repositoryRoot } from '../../support/shared/documentation-examples.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import type { HttpAnswer } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { type RunningProcess, startProcess } from '../../support/shared/processes.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const guide = documentationPage('docs/guides/write-an-agent.md');
const blockOf = (info: string): string => {
  const found = fencedBlocks(guide).find((block) => block.info === info);
  if (found === undefined) throw new Error(`the guide has no block ${info}`);
  return found.text;
};
const socketOfGuide = '/tmp/word-filter.sock';

const cleanUp = new CleanUp();
const everything = new CleanUp();
afterEach(() => cleanUp.run());
afterAll(() => everything.run());

/** A project of somebody who has installed the package. */
let project: TemporaryFolder;

beforeAll(() => {
  project = temporaryFolder();
  everything.add(() => project.remove());
  project.write('package.json', JSON.stringify({ type: 'module' }));
  mkdirSync(project.file('node_modules'));
  symlinkSync(repositoryRoot, project.file('node_modules/portcullis'), 'dir');
  project.write('word-filter.ts', blockOf('ts'));
  project.write(
    'word-filter.js',
    ts.transpile(blockOf('ts'), { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }),
  );
});

const start = async (
  command: string,
  args: readonly string[],
): Promise<{ agent: RunningProcess; gateway: DocumentedGateway }> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const socket = folder.file('agent.sock');
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  const agent = startProcess(command, args, { cwd: project.path, env: { AGENT_SOCKET: socket } });
  cleanUp.add(() => agent.stop());
  const gateway = await startDocumented(cleanUp, blockOf('kdl'), {
    ports: { 3000: upstream.port },
    texts: { [socketOfGuide]: socket },
  });
  await untilTrue('the agent answers', async () => (await gateway.ask(8080)).status === 200);
  return { agent, gateway };
};

/** What the upstream got, and its header of the agent. */
const passed = ({ status, body }: HttpAnswer): unknown => {
  const got = JSON.parse(body) as Echo;
  const at = got.rawHeaders.findIndex((name) => name.toLowerCase() === 'x-filtered');
  return { status, body: got.body, filtered: got.rawHeaders[at + 1] };
};

const filters = (name: string, command: string, args: readonly string[]): void => {
  it(`${name} refuses what holds a word, and lets the rest pass with a header`, async () => {
    const { gateway } = await start(command, args);
    const post = (body: string) => gateway.ask(8080, { method: 'POST', body });
    expect(await post('the word is swordfish.')).toMatchObject({ status: 403, body: 'Not that word.\n' });
    const fine = 'the word is another one.';
    expect(passed(await post(fine))).toEqual({ status: 200, body: fine, filtered: 'yes' });
    expect(passed(await gateway.ask(8080))).toEqual({ status: 200, body: '', filtered: 'no' });
    // Across the border of two chunks, in a body of several.
    const large = `${'x'.repeat(65_530)}swordfish${'x'.repeat(100_000)}`;
    expect((await post(large)).status).toBe(403);
    expect((await post('')).status).toBe(200);
  });

  it(`${name} keeps its words where it refuses others, and finds those that are not ASCII`, async () => {
    const { gateway } = await start(command, args);
    const post = async (body: string) => (await gateway.ask(8080, { method: 'POST', body })).status;
    gateway.rewrite(blockOf('kdl').replace('words "swordfish" "xyzzy"', 'words "schön"'));
    expect((await gateway.gateway.reload()).ok).toBe(true);
    await untilTrue('the new words are in force', async () => (await post('sehr schön')) === 403);
    // A connection that greeted with the words before may be later than the new ones on the others.
    await untilTrue('the words before are gone', async () => (await post('swordfish')) === 200);
    gateway.rewrite(blockOf('kdl').replace('words "swordfish" "xyzzy"', 'words'));
    expect((await gateway.gateway.reload()).ok).toBe(true);
    await untilTrue('it is told', () => gateway.logger.lines.some(({ level }) => level === 'error'));
    expect(await post('sehr schön')).toBe(403);
  });

  it(`${name} judges many requests at a time, each by its own body`, async () => {
    const { gateway } = await start(command, args);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        gateway.ask(8080, { method: 'POST', body: index % 3 === 0 ? `xyzzy ${index}` : `fine ${index}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 3 === 0 ? 403 : 200)));
  });

  it(`${name} ends with SIGTERM, and 0`, async () => {
    const { agent } = await start(command, args);
    agent.signal('SIGTERM');
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });
};

describe('the agent of the guide', () => {
  it('has the types of the package', () => {
    const file = project.file('word-filter.ts');
    const program = ts.createProgram([file], {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      typeRoots: [join(repositoryRoot, 'node_modules', '@types')],
      strict: true,
      noPropertyAccessFromIndexSignature: true,
      skipLibCheck: true,
      noEmit: true,
    });
    const problems = ts.getPreEmitDiagnostics(program);
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });

  filters('in TypeScript', process.execPath, ['word-filter.js']);
});

describeWithPeers(['python3'], 'the agent of the guide, elsewhere', () => {
  filters('in Python', 'python3', [join(repositoryRoot, 'docs', 'examples', 'word_filter.py')]);
});
