import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCorpora } from '../../conformance/corpora.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const write = (path: string, content: string | Buffer): void => {
  mkdirSync(dirname(folder.file(path)), { recursive: true });
  writeFileSync(folder.file(path), content);
};

const run = async (): Promise<{ lines: string[]; outcome: Awaited<ReturnType<typeof runCorpora>> }> => {
  const lines: string[] = [];
  const outcome = await runCorpora(folder.path, (line) => lines.push(line));
  return { lines, outcome };
};

const uid = (type: string, id: string) => ({ type, id });
const cedarCase = (decision: 'allow' | 'deny') =>
  JSON.stringify({
    policies: 'tests/gate/lamp.cedar',
    entities: 'tests/gate/lamp.entities.json',
    requests: [
      {
        principal: uid('Keeper', 'ida'),
        action: uid('Action', 'light'),
        resource: uid('Lamp', 'north'),
        context: {},
        decision,
        reason: decision === 'allow' ? ['policy0'] : [],
        errors: [],
      },
    ],
  });
const cedarFiles = (decision: 'allow' | 'deny'): void => {
  write('cedar/tests/gate/lamp.cedar', 'permit(principal == Keeper::"ida", action, resource);');
  write('cedar/tests/gate/lamp.entities.json', '[]');
  write('cedar/tests/gate/1.json', cedarCase(decision));
};

/** An archive in the ustar format. */
const archive = (files: Readonly<Record<string, string>>): Buffer => {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const header = Buffer.alloc(512);
    header.write(path, 0, 'latin1');
    header.write(Buffer.byteLength(text).toString(8).padStart(11, '0'), 124, 'latin1');
    header.write('0', 156, 'latin1');
    const content = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    content.write(text);
    return [header, content];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
};

const llhttpCase = (type: string, http: string, log: readonly string[]): string =>
  ['## One', '', `<!-- meta={"type": "${type}"} -->`, '```http', http, '```', '', '```log', ...log, '```', ''].join(
    '\n',
  );
const requestLog = [
  'off=0 message begin',
  'off=0 len=4 span[method]="KICK"',
  'off=5 len=2 span[url]="/a"',
  'off=13 len=3 span[version]="1.1"',
  'off=20 headers complete method=0 v=1/1 flags=0 content_length=0',
  'off=20 message complete',
];

const ping = { type: 6, flags: 0, stream_identifier: 0, frame_payload: {} };
const story = (path: string) => ({
  cases: [
    {
      wire: '828684410161',
      headers: [{ ':method': 'GET' }, { ':scheme': 'http' }, { ':path': path }, { ':authority': 'a' }],
    },
  ],
});

describe('the conformance run', () => {
  it('counts the cases of every corpus in a folder, and prints their sum', async () => {
    cedarFiles('allow');
    write('llhttp/request/a.md', llhttpCase('request', 'KICK /a HTTP/1.1\n\n\n', requestLog));
    write('llhttp/response/a.md', '');
    write(
      'http2/frame-test-case/ping/a.json',
      JSON.stringify({ wire: `000008060000000000${'ab'.repeat(8)}`, error: null, frame: ping }),
    );
    write(
      'http2/frame-test-case/error/a.json',
      JSON.stringify({ wire: '00000406000000000000000000', error: [6], frame: null }),
    );
    write('notes/other.txt', 'not a corpus');
    const { lines, outcome } = await run();
    expect(lines.filter((line) => line.startsWith('FAILED'))).toEqual([]);
    expect(outcome).toEqual({ passed: 4, failed: 0, skipped: 0 });
    expect(lines).toEqual(
      expect.arrayContaining(['cedar: 1 passed, 0 failed', 'llhttp: 1 passed, 0 failed', 'http2: 2 passed, 0 failed']),
    );
    expect(lines).toContain('notes: not a corpus that this command knows; left out');
    expect(lines.at(-1)).toBe('\n4 passed, 0 failed');
  });

  it('fails a Cedar case with another decision, in a folder and in an archive', async () => {
    cedarFiles('deny');
    write(
      'cedar/generated.tar.gz',
      archive({
        'a.json': cedarCase('deny').replaceAll('tests/gate/', ''),
        'lamp.cedar': 'permit(principal, action, resource);',
        'lamp.entities.json': '[]',
      }),
    );
    const { lines, outcome } = await run();
    expect(outcome).toEqual({ passed: 0, failed: 2, skipped: 0 });
    const difference = 'allow, reason [policy0], errors []; expected deny, reason [], errors []';
    expect(lines).toContain(`FAILED cedar: tests/gate/1 request 0: ${difference}`);
    expect(lines).toContain(`FAILED cedar: a request 0: ${difference}`);
  });

  it('fails a Cedar case that cannot be evaluated', async () => {
    cedarFiles('allow');
    write('cedar/tests/gate/lamp.cedar', 'permit(');
    expect((await run()).outcome).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it.each([
    ['reads another target', requestLog.map((line) => line.replace('len=2 span[url]', 'len=1 span[url]'))],
    ['is expected to be refused', ['off=0 message begin', 'off=1 error code=6 reason="Unexpected"']],
  ])('fails an HTTP/1 case that %s', async (_what, log) => {
    write('llhttp/request/a.md', llhttpCase('request', 'KICK /a HTTP/1.1\n\n\n', log));
    write('llhttp/response/a.md', '');
    expect((await run()).outcome).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('passes an HTTP/1 case that the codec refuses on purpose, and no other refused one', async () => {
    const folded = 'KICK /a HTTP/1.1\nx: y\n z\n\n\n';
    write('llhttp/request/a.md', llhttpCase('request', folded, requestLog));
    write('llhttp/request/b.md', llhttpCase('request', folded.replace('x: y\n z', 'x : y'), requestLog));
    write('llhttp/response/a.md', '');
    const { lines, outcome } = await run();
    expect(outcome).toEqual({ passed: 1, failed: 1, skipped: 0 });
    expect(lines).toContain('FAILED llhttp: request/b.md: One: refused: invalid_field_name');
  });

  it('fails an HTTP/2 frame that is accepted instead of an error', async () => {
    write(
      'http2/frame-test-case/error/a.json',
      JSON.stringify({ wire: `000008060000000000${'ab'.repeat(8)}`, error: [6], frame: null }),
    );
    const { lines, outcome } = await run();
    expect(outcome).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(lines).toContain('FAILED http2: error/a.json: taken; expected error 6');
  });

  it('compares the fields of header blocks, of requests and of responses', async () => {
    const response = (status: string) => ({ cases: [{ wire: '88', headers: [{ ':status': status }] }] });
    write(
      'http2/hpack-test-case.tar.gz',
      archive({
        'one.json': JSON.stringify(story('/')),
        'two.json': JSON.stringify(story('/other')),
        'three.json': JSON.stringify(response('200')),
        'four.json': JSON.stringify(response('204')),
        'raw.json': JSON.stringify({ cases: [{ headers: [{ ':status': '200' }] }] }),
      }),
    );
    const { lines, outcome } = await run();
    expect(outcome).toEqual({ passed: 2, failed: 2, skipped: 0 });
    const failures = lines.filter((line) => line.startsWith('FAILED')).map((line) => line.split(' ')[2]);
    expect(failures).toEqual(['two.json', 'four.json']);
  });

  it('accepts a folder that is a corpus itself', async () => {
    cedarFiles('allow');
    const lines: string[] = [];
    const outcome = await runCorpora(folder.file('cedar'), (line) => lines.push(line));
    expect(outcome).toEqual({ passed: 1, failed: 0, skipped: 0 });
  });

  it('fails a corpus without a case', async () => {
    write('cedar/tests/empty.txt', '');
    expect((await run()).outcome).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('reports a folder without a corpus, or none', async () => {
    expect((await run()).outcome).toEqual({ problem: expect.stringContaining('has no corpus') });
    expect(await runCorpora(folder.file('missing'), () => undefined)).toEqual({
      problem: expect.stringContaining('is not a folder'),
    });
  });
});
