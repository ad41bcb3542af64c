import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';

const processes = 4;
const linesOfEach = 600;
/** What a pipe keeps whole; a line ends in a line feed. */
const longest = 4_096;

const built = (file: string): string =>
  new URL(`../../../../../dist/adapters/outbound/pino-log/${file}`, import.meta.url).href;

/** Writes lines of all lengths up to the longest, as fast as they are taken, once its standard input has ended. */
const writer = `
  const { readFileSync } = await import('node:fs');
  const { LogOutput, isSharedPipe } = await import(${JSON.stringify(built('log-output.js'))});
  const output = new LogOutput({ fileDescriptor: 1, format: null, isShared: isSharedPipe(1) });
  process.stderr.write('ready ');
  readFileSync(0);
  for (let line = 0; line < ${linesOfEach}; line += 1) {
    const head = process.argv[1] + ':' + line + ':';
    const length = head.length + 1 + ((line * 797) % (${longest} - head.length));
    output.write(head.padEnd(length - 1, process.argv[1]) + '\\n');
    if (line % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  process.exitCode = (await output.close(60_000)) ? 0 : 1;
`;

describe('several processes that log to one pipe', () => {
  it('write intact lines with a slow reader', async () => {
    const names = Array.from({ length: processes }, (_, index) => String(index));
    const start = names.map((name) => `"$NODE" --input-type=module -e "$WRITER" ${name} <&3 &`).join(' ');
    // What Node gives a child is a socket; "cat" makes it a pipe.
    const shell = spawn('sh', ['-c', `{ ${start} wait; } | cat`], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE: process.execPath, WRITER: writer },
    });
    const [, stdout, stderr, begin] = shell.stdio;
    let said = '';
    for await (const piece of stderr as Readable) {
      said += String(piece);
      if (said === 'ready '.repeat(processes)) break;
    }
    (begin as Writable).end();
    const pieces: Buffer[] = [];
    // A pause after each piece keeps the pipe full.
    for await (const piece of stdout as Readable) {
      pieces.push(piece as Buffer);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (shell.exitCode === null) await once(shell, 'exit');
    const lines = Buffer.concat(pieces).toString().trimEnd().split('\n');
    const seen = new Map(names.map((name) => [name, 0]));
    for (const line of lines) {
      const [name = '', number = '', rest = ''] = line.split(':');
      // Whole, in the order of its process, and with nothing of another one in it.
      expect(Number(number)).toBe(seen.get(name));
      expect(rest === name.repeat(rest.length)).toBe(true);
      seen.set(name, Number(number) + 1);
    }
    expect([...seen.values()]).toEqual(names.map(() => linesOfEach));
  });
});
