import { afterEach, describe, expect, it } from 'vitest';
import { LogOutput } from '../../../../../src/adapters/outbound/pino-log/log-output.js';
import { OutputAuditLog } from '../../../../../src/adapters/outbound/pino-log/output-audit-log.js';
import { ManualPipe } from '../../../../support/shared/manual-pipe.js';

const pipes: ManualPipe[] = [];
const pipe = (blocking: boolean): ManualPipe => {
  const made = new ManualPipe(blocking);
  pipes.push(made);
  return made;
};

afterEach(() => {
  for (const each of pipes.splice(0)) each.remove();
});

const kilobyte = (index: number): string => `${`line ${index} `.padEnd(1023, 'x')}\n`;
const numbersOf = (text: string): number[] => Array.from(text.matchAll(/line (\d+) /g), (match) => Number(match[1]));

/** Reads until the output has written everything. */
const readAll = async (output: LogOutput, from: ManualPipe): Promise<string> => {
  let text = '';
  let closed = false;
  const closing = output.close(20_000).finally(() => {
    closed = true;
  });
  while (!closed) {
    text += from.read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await closing).toBe(true);
  return text + from.read();
};

describe.each([
  ['that makes writes wait', true],
  ['that refuses writes while full', false],
])('a pipe %s', (_what, blocking) => {
  it('gets every line once and in order with a slow reader', async () => {
    const reader = pipe(blocking);
    const output = new LogOutput({ fileDescriptor: reader.writeEnd, format: null });
    for (let index = 0; index < 1000; index += 1) output.writeAccess(kilobyte(index));
    const text = await readAll(output, reader);
    expect(numbersOf(text)).toEqual(Array.from({ length: 1000 }, (_unused, index) => index));
    expect(text).toHaveLength(1000 * 1024);
    expect(output.droppedAccessLines()).toBe(0);
  });

  it('without a reader drops audit lines last, counted, and as JSON in every format', async () => {
    const reader = pipe(blocking);
    const maxPendingCharacters = 100 * 1024;
    const format = (line: string): string => `pretty ${line}`;
    const output = new LogOutput({ fileDescriptor: reader.writeEnd, format, maxPendingCharacters });
    for (let index = 0; index < 5000; index += 1) output.writeAccess(`access${kilobyte(index)}`);
    const audit = new OutputAuditLog(output);
    audit.write('{"stream":"audit"}\n');
    expect(audit.dropped()).toBe(0);
    for (let index = 0; index < 5000; index += 1) audit.write(`audit${kilobyte(index)}`);
    const text = await readAll(output, reader);
    const written = Array.from(text.matchAll(/^audit/gm)).length;
    expect(text).toMatch(/^\{"stream":"audit"\}$/m);
    expect(written).toBeGreaterThan(100);
    expect(written + audit.dropped()).toBe(5000);
    audit.write('late\n');
    expect(audit.dropped()).toBe(5001 - written);
  });

  it('without a reader drops only access lines, complete and counted', async () => {
    const reader = pipe(blocking);
    const maxPendingCharacters = 100 * 1024;
    const output = new LogOutput({ fileDescriptor: reader.writeEnd, format: null, maxPendingCharacters });
    for (let index = 0; index < 5000; index += 1) output.writeAccess(kilobyte(index));
    output.write('an error\n');
    const text = await readAll(output, reader);
    const written = numbersOf(text);
    expect(written.length).toBeLessThan(400);
    expect(written.length + output.droppedAccessLines()).toBe(5000);
    expect(text.length).toBe(written.length * 1024 + 'an error\n'.length);
    expect(text.endsWith('\nan error\n')).toBe(true);
  });

  it('without a reader bounds errors too', async () => {
    const reader = pipe(blocking);
    const maxPendingCharacters = 100 * 1024;
    const output = new LogOutput({ fileDescriptor: reader.writeEnd, format: null, maxPendingCharacters });
    for (let index = 0; index < 5000; index += 1) output.write(kilobyte(index));
    expect(numbersOf(await readAll(output, reader)).length).toBeLessThan(600);
  });

  it('without a reader does not delay the exit', async () => {
    const reader = pipe(blocking);
    const output = new LogOutput({ fileDescriptor: reader.writeEnd, format: null });
    for (let index = 0; index < 1000; index += 1) output.write(kilobyte(index));
    expect(await output.close(20)).toBe(false);
    // Lets the write that is stuck in the system end, so that the pipe can be closed.
    let text = '';
    while (numbersOf(text).at(-1) !== 999) {
      text += reader.read();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('with a closed reader does not end the program', async () => {
    const reader = pipe(blocking);
    const output = new LogOutput({ fileDescriptor: reader.writeEnd, format: null });
    reader.closeReader();
    output.writeAccess('lost\n');
    output.write('lost too\n');
    expect(await output.close(20_000)).toBe(true);
    expect(output.droppedAccessLines()).toBe(1);
  });
});

describe('a log output', () => {
  it('writes its buffer at once when the process exits', () => {
    const reader = pipe(true);
    const output = new LogOutput({ fileDescriptor: reader.writeEnd, format: null });
    output.write('last words\n');
    output.flushSync();
    expect(reader.read()).toBe('last words\n');
  });

  it('accepts nothing once closed', async () => {
    const reader = pipe(true);
    const output = new LogOutput({ fileDescriptor: reader.writeEnd, format: null });
    expect(await output.close(20_000)).toBe(true);
    output.write('late\n');
    output.writeAccess('late\n');
    output.flushSync();
    expect(reader.read()).toBe('');
    expect(output.droppedAccessLines()).toBe(1);
  });

  it('listens for the process exit while open', async () => {
    const before = process.listenerCount('exit');
    const output = new LogOutput({ fileDescriptor: pipe(true).writeEnd, format: null });
    expect(process.listenerCount('exit')).toBe(before + 1);
    await output.close(20_000);
    expect(process.listenerCount('exit')).toBe(before);
  });
});
