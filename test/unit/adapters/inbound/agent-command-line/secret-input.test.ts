import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readSecret, type SecretInput } from '../../../../../src/adapters/inbound/agent-command-line/secret-input.js';

const nothing = (): void => {};

const piped = (...chunks: readonly (string | Uint8Array)[]) => {
  const input = new PassThrough();
  for (const chunk of chunks) input.write(chunk);
  input.end();
  return readSecret(['Password: ', 'Again: '], input, nothing);
};

describe('a secret from a pipe', () => {
  it('is its only line, without the line end', async () => {
    expect(await piped('correct horse\n')).toEqual({ kind: 'read', text: 'correct horse' });
    expect(await piped('correct', ' horse\r\n')).toEqual({ kind: 'read', text: 'correct horse' });
    expect(await piped(' correct horse ')).toEqual({ kind: 'read', text: ' correct horse ' });
    expect(await piped(Buffer.from('pä').subarray(0, 2), Buffer.from('pä').subarray(2))).toEqual({
      kind: 'read',
      text: 'pä',
    });
    expect(await piped('\n')).toEqual({ kind: 'read', text: '' });
    expect(await piped()).toEqual({ kind: 'read', text: '' });
  });

  it('is refused if it has several lines or is not text', async () => {
    expect(await piped('one\ntwo\n')).toEqual({ kind: 'unfit', message: 'the standard input has more than one line' });
    expect(await piped('one\n\n')).toMatchObject({ kind: 'unfit' });
    expect(await piped(Uint8Array.of(0x70, 0xff, 0x0a))).toEqual({
      kind: 'unfit',
      message: 'the standard input is not UTF-8',
    });
    expect(await piped('p'.repeat(65_537))).toEqual({ kind: 'unfit', message: 'the standard input is too long' });
  });
});

/** A terminal for readline without its own echo. */
const typed = async (prompts: readonly string[], text: string) => {
  let shown = '';
  const input: PassThrough & SecretInput = Object.assign(new PassThrough(), { isTTY: true });
  const reading = readSecret(prompts, input, (part) => {
    shown += part;
  });
  input.write(text);
  return { reading: await reading, shown };
};

describe('a secret from a terminal', () => {
  it('is read for each prompt without echo', async () => {
    const { reading, shown } = await typed(['Password: ', 'Again: '], 'pässword\rpässword\r');
    expect(reading).toEqual({ kind: 'read', text: 'pässword' });
    expect(shown).toBe('Password: \nAgain: \n');
  });

  it('can be corrected while it is typed', async () => {
    const { reading } = await typed(['API key: '], 'abd\x7fc\r');
    expect(reading).toEqual({ kind: 'read', text: 'abc' });
  });

  it('is refused if the two entries differ', async () => {
    const { reading } = await typed(['Password: ', 'Again: '], 'one\rtwo\r');
    expect(reading).toEqual({ kind: 'unfit', message: 'the two entries differ' });
  });

  it.each(['\x03', 'abc\x03', '\x04', 'abc\r\x03', 'abc\r\x04'])('can be left unsaid: %j', async (keys) => {
    const { reading, shown } = await typed(['Password: ', 'Again: '], keys);
    expect(reading).toEqual({ kind: 'cancelled' });
    expect(shown).not.toContain('abc');
  });
});
