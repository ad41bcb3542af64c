import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCorpusCommand } from '../../../../../src/adapters/inbound/policy-corpus-command/run-corpus-command.js';
import { corpusInMemory } from '../../../../support/agent/policy-corpus-files.js';

const request = {
  principal: { type: 'U', id: 'a' },
  action: { type: 'Action', id: 'a' },
  resource: { type: 'R', id: 'r' },
  context: {},
};
const corpusOf = (cases: number, requests: number, policies = 'permit(principal, action, resource);') =>
  corpusInMemory(
    new Map([
      ['p.cedar', policies],
      ['e.json', '[]'],
      ...Array.from({ length: cases }, (_, index): [string, string] => [
        `${index}.json`,
        JSON.stringify({ policies: 'p.cedar', entities: 'e.json', requests: Array(requests).fill(request) }),
      ]),
    ]),
  );

/** A reader that takes one chunk at a time, and counts what the writer had waiting for it at most. */
class SlowReader extends Writable {
  text = '';
  longestWait = 0;

  constructor() {
    super({ highWaterMark: 1, decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.longestWait = Math.max(this.longestWait, this.writableLength);
    this.text += chunk;
    setImmediate(done);
  }
}

class GoneReader extends Writable {
  override _write(_chunk: unknown, _encoding: string, done: (error: Error) => void): void {
    done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  }
}

describe('runCorpusCommand', () => {
  it('writes one JSON line per request, with backpressure', async () => {
    const results = new SlowReader();
    const messages: string[] = [];
    const code = await runCorpusCommand('corpus', corpusOf(40, 100), {
      results,
      messages: (text) => messages.push(text),
      isTerminal: false,
    });
    expect(code).toBe(0);
    const lines = results.text.trimEnd().split('\n');
    expect(lines.length).toBe(4_000);
    expect(lines[0]).toBe('{"case":"0","request":0,"decision":"allow","reason":["policy0"],"errors":[]}');
    expect(results.longestWait).toBeLessThan(100_000);
    expect(messages.join('')).toBe('');
  });

  it('exits with 1 if a case cannot be evaluated', async () => {
    const results = new SlowReader();
    const messages: string[] = [];
    const code = await runCorpusCommand('corpus', corpusOf(1, 1, 'permit\u001b['), {
      results,
      messages: (text) => messages.push(text),
      isTerminal: false,
    });
    expect(code).toBe(1);
    expect(JSON.parse(results.text)).toMatchObject({
      case: '0',
      request: 0,
      error: expect.stringContaining('p.cedar:1:7'),
    });
    expect(messages.join('')).toMatch(/^error: 0: p\.cedar:1:7: .*\nerror: 1 of 1 cases failed\n$/);
    expect(messages.join('')).not.toContain('\u001b');
  });

  it('exits with 1 and names a folder without cases', async () => {
    const messages: string[] = [];
    const code = await runCorpusCommand('some/folder', corpusInMemory(new Map()), {
      results: new SlowReader(),
      messages: (text) => messages.push(text),
      isTerminal: false,
    });
    expect(code).toBe(1);
    expect(messages.join('')).toMatch(/^error: some\/folder has no test case: /);
  });

  it('stops if the reader closes', async () => {
    const code = await runCorpusCommand('corpus', corpusOf(200, 100), {
      results: new GoneReader(),
      messages: () => undefined,
      isTerminal: false,
    });
    expect(code).toBe(1);
  });

  it('shows progress on a terminal, and clears it', async () => {
    const messages: string[] = [];
    await runCorpusCommand('corpus', corpusOf(250, 1), {
      results: new SlowReader(),
      messages: (text) => messages.push(text),
      isTerminal: true,
    });
    expect(messages.join('')).toBe('\r\u001b[K100 of 251 files\r\u001b[K200 of 251 files\r\u001b[K');
  });
});
