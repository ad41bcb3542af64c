import { describe, expect, it } from 'vitest';
import type { BufferedBody } from '../../../../../src/application/gateway/proxy-request/buffered-body.js';
import { CopiedBody } from '../../../../../src/application/gateway/proxy-request/mirror/copied-body.js';
import { bodyOctets, ScriptedBody } from '../../../../support/gateway/scripted-body.js';

const copyOf = (source: ScriptedBody, maxOctets = 100) => {
  const calls: (string | BufferedBody)[] = [];
  const body = new CopiedBody(source, maxOctets, {
    copied: (copy) => void calls.push(copy),
    notCopied: (reason) => void calls.push(reason),
  });
  return { body, calls };
};

const textOf = async (copy: string | BufferedBody | undefined): Promise<string> => {
  if (copy === undefined || typeof copy === 'string') throw new Error(`no copy: ${copy}`);
  return (await bodyOctets(copy.begin())).toString();
};

describe('a copied body', () => {
  it('gives its reader each piece, and its listener the whole', async () => {
    const { body, calls } = copyOf(new ScriptedBody(['one', 'two', 'three']));
    expect((await bodyOctets(body)).toString()).toBe('onetwothree');
    expect(calls).toHaveLength(1);
    expect(await textOf(calls[0])).toBe('onetwothree');
  });

  it('is whole at its declared length, even if the reader stops there', async () => {
    const { body, calls } = copyOf(new ScriptedBody(['one', 'two'], 6));
    await body.read();
    expect(calls).toEqual([]);
    await body.read();
    expect(await textOf(calls[0])).toBe('onetwo');
    body.cancel();
    expect(await body.read()).toBeNull();
    expect(calls).toHaveLength(1);
  });

  it('is given up above the limit, and still read to its end', async () => {
    const { body, calls } = copyOf(new ScriptedBody(['12345', '678', '9']), 7);
    expect((await bodyOctets(body)).toString()).toBe('123456789');
    expect(calls).toEqual(['body_too_large']);
  });

  it('is incomplete if the source breaks or the reader cancels it', async () => {
    const broken = copyOf(new ScriptedBody(['one', null]));
    await broken.body.read();
    await expect(broken.body.read()).rejects.toThrow('the client went away');
    expect(broken.calls).toEqual(['body_incomplete']);
    const source = new ScriptedBody(['one', 'two']);
    const cancelled = copyOf(source);
    await cancelled.body.read();
    cancelled.body.cancel();
    expect(cancelled.calls).toEqual(['body_incomplete']);
    expect(source.isCancelled).toBe(true);
  });

  it('calls nothing after it was given up', async () => {
    const { body, calls } = copyOf(new ScriptedBody(['one']));
    body.giveUp();
    expect((await bodyOctets(body)).toString()).toBe('one');
    body.cancel();
    expect(calls).toEqual([]);
  });
});
