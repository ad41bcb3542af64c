import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { type Echo, echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { documentationPage, fencedBlocks, repositoryRoot } from '../../support/shared/documentation-examples.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
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

/** A folder like the project of a user who has installed the package, with the agent of the guide. */
const makeProject = (cleanUp: CleanUp): TemporaryFolder => {
  const project = temporaryFolder();
  cleanUp.add(() => project.remove());
  project.write('package.json', JSON.stringify({ type: 'module' }));
  mkdirSync(project.file('node_modules'));
  symlinkSync(repositoryRoot, project.file('node_modules/portcullis'), 'dir');
  project.write('word-filter.ts', blockOf('ts'));
  project.write(
    'word-filter.js',
    ts.transpile(blockOf('ts'), { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }),
  );
  return project;
};

interface FilteredGateway {
  readonly agent: RunningProcess;
  readonly gateway: DocumentedGateway;
}

const start = async (
  cleanUp: CleanUp,
  project: TemporaryFolder,
  command: string,
  args: readonly string[],
): Promise<FilteredGateway> => {
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

const it = baseIt
  .extend('project', { scope: 'file' }, ({ fileCleanUp }) => makeProject(fileCleanUp))
  .extend('inTypeScript', { scope: 'file' }, ({ fileCleanUp, project }) =>
    start(fileCleanUp, project, process.execPath, ['word-filter.js']),
  )
  .extend('inPython', { scope: 'file' }, ({ fileCleanUp, project }) =>
    start(fileCleanUp, project, 'python3', [join(repositoryRoot, 'docs', 'examples', 'word_filter.py')]),
  );
const itInTypeScript = it.extend('filtered', ({ inTypeScript }) => inTypeScript);
const itInPython = it.extend('filtered', ({ inPython }) => inPython);

/** What the upstream got, and its header of the agent. */
const passed = ({ status, body }: HttpAnswer): unknown => {
  const got = JSON.parse(body) as Echo;
  const at = got.rawHeaders.findIndex((name) => name.toLowerCase() === 'x-filtered');
  return { status, body: got.body, filtered: got.rawHeaders[at + 1] };
};

/** The tests run in their order on one agent: the third changes its words, the last ends it. */
const filters = (it: typeof itInTypeScript): void => {
  it('refuses a body with a listed word, and passes other bodies with a header', async ({ filtered: { gateway } }) => {
    const post = (body: string) => gateway.ask(8080, { method: 'POST', body });
    expect(await post('the word is swordfish.')).toMatchObject({ status: 403, body: 'Not that word.\n' });
    const fine = 'the word is another one.';
    expect(passed(await post(fine))).toEqual({ status: 200, body: fine, filtered: 'yes' });
    expect(passed(await gateway.ask(8080))).toEqual({ status: 200, body: '', filtered: 'no' });
    // The word spans two chunks.
    const large = `${'x'.repeat(65_530)}swordfish${'x'.repeat(100_000)}`;
    expect((await post(large)).status).toBe(403);
    expect((await post('')).status).toBe(200);
  });

  it('judges many requests at once, each by its own body', async ({ filtered: { gateway } }) => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        gateway.ask(8080, { method: 'POST', body: index % 3 === 0 ? `xyzzy ${index}` : `fine ${index}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 3 === 0 ? 403 : 200)));
  });

  it('keeps its words when it refuses new ones, and finds words outside ASCII', async ({ filtered: { gateway } }) => {
    const post = async (body: string) => (await gateway.ask(8080, { method: 'POST', body })).status;
    gateway.rewrite(blockOf('kdl').replace('words "swordfish" "xyzzy"', 'words "schön"'));
    expect((await gateway.gateway.reload()).ok).toBe(true);
    await untilTrue('the new words are in force', async () => (await post('sehr schön')) === 403);
    // A connection that greeted with the old words can be later than the new words on the other connections.
    await untilTrue('the old words are gone', async () => (await post('swordfish')) === 200);
    const isRefused = () => gateway.logger.lines.some(({ message }) => message.includes('refused its configuration'));
    expect(isRefused()).toBe(false);
    gateway.rewrite(blockOf('kdl').replace('words "swordfish" "xyzzy"', 'words'));
    expect((await gateway.gateway.reload()).ok).toBe(true);
    await untilTrue('the log has the refusal', isRefused);
    expect(await post('sehr schön')).toBe(403);
  });

  it('exits with 0 on SIGTERM', async ({ filtered: { agent } }) => {
    agent.signal('SIGTERM');
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });
};

describe('the TypeScript agent of the guide', () => {
  it('has the types of the package', ({ project }) => {
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

  filters(itInTypeScript);
});

describeWithPeers(['python3'], 'the Python agent of the guide', () => {
  filters(itInPython);
});
