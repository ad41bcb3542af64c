import { describe, expect, it } from 'vitest';
import { ReplayableBody } from '../../../../../src/application/gateway/proxy-request/replayable-body.js';
import type { BodySource } from '../../../../../src/application/ports/gateway/body-source.js';
import { bodyOctets, ScriptedBody } from '../../../../support/gateway/scripted-body.js';

const text = async (body: BodySource): Promise<string> => (await bodyOctets(body)).toString();

/** A body whose pieces arrive when the test says so. */
const heldBody = () => {
  const waiting: ((piece: Uint8Array | null) => void)[] = [];
  const source: BodySource = {
    declaredLength: null,
    read: () => new Promise((resolve) => waiting.push(resolve)),
    trailers: () => [],
    cancel: () => undefined,
  };
  return { source, waiting };
};

describe('a body that was read in part', () => {
  it('is given again from its first octet', async () => {
    const body = new ReplayableBody(new ScriptedBody(['one ', 'two ', 'three'], 13));
    const first = body.begin();
    expect([await first.read(), await first.read()]).toHaveLength(2);
    expect(body.isWhole).toBe(true);
    const second = body.begin();
    expect(second.declaredLength).toBe(13);
    expect(await text(second)).toBe('one two three');
    expect(await text(body.begin())).toBe('one two three');
  });

  it('gives no more to the earlier attempt', async () => {
    const body = new ReplayableBody(new ScriptedBody(['one', 'two']));
    const first = body.begin();
    const second = body.begin();
    await expect(first.read()).rejects.toThrow('over');
    expect(await text(second)).toBe('onetwo');
  });

  it('gives the new attempt the piece for which the earlier one was waiting', async () => {
    const { source, waiting } = heldBody();
    const body = new ReplayableBody(source);
    const before = body.begin().read();
    const second = body.begin();
    const now = second.read();
    waiting.shift()?.(Buffer.from('a'.repeat(70_000)));
    await expect(before).rejects.toThrow('over');
    expect((await now)?.length).toBe(70_000);
    const rest = second.read();
    await Promise.resolve();
    expect(waiting).toHaveLength(1);
    waiting.shift()?.(null);
    expect(await rest).toBeNull();
  });

  it('loses no octet if too many arrive for the earlier attempt', async () => {
    const { source, waiting } = heldBody();
    const body = new ReplayableBody(source);
    const first = body.begin();
    const head = first.read();
    waiting.shift()?.(Buffer.from('a'));
    await head;
    const late = first.read();
    await Promise.resolve();
    const second = body.begin();
    waiting.shift()?.(Buffer.alloc(70_000, 'b'));
    await expect(late).rejects.toThrow('over');
    const all = text(second);
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()?.(null);
    expect(await all).toBe(`a${'b'.repeat(70_000)}`);
    expect(body.isWhole).toBe(false);
  });

  it('reports its error to each attempt', async () => {
    const body = new ReplayableBody(new ScriptedBody(['one', null]));
    const first = body.begin();
    await first.read();
    await expect(first.read()).rejects.toThrow('the client went away');
  });
});

describe('a replayable body keeps', () => {
  const readSome = async (pieces: readonly Uint8Array[], reads: number) => {
    const body = new ReplayableBody(new ScriptedBody(pieces));
    const attempt = body.begin();
    for (let turn = 0; turn < reads; turn += 1) await attempt.read();
    return { body, attempt };
  };

  it('the first piece, whatever its size', async () => {
    expect((await readSome([Buffer.alloc(1_000_000)], 1)).body.isWhole).toBe(true);
  });

  it('at most 64 KiB, and still gives all that follows', async () => {
    const half = Buffer.alloc(32_768, 'x');
    expect((await readSome([half, half, Buffer.from('y')], 2)).body.isWhole).toBe(true);
    const { body, attempt } = await readSome([half, half, Buffer.from('y'), Buffer.from('z')], 3);
    expect(body.isWhole).toBe(false);
    expect(await text(attempt)).toBe('z');
  });

  it('at most 64 pieces', async () => {
    const pieces = Array.from({ length: 65 }, () => Buffer.from('x'));
    expect((await readSome(pieces, 64)).body.isWhole).toBe(true);
    expect((await readSome(pieces, 65)).body.isWhole).toBe(false);
  });

  it('only the octets not yet given after `forget`', async () => {
    const body = new ReplayableBody(new ScriptedBody(['one ', 'two ', 'three']));
    const first = body.begin();
    await first.read();
    await first.read();
    const second = body.begin();
    await second.read();
    body.forget();
    expect(body.isWhole).toBe(false);
    expect(await text(second)).toBe('two three');
  });
});

it('only the current attempt can cancel the body', () => {
  const source = new ScriptedBody(['one']);
  const body = new ReplayableBody(source);
  const first = body.begin();
  const second = body.begin();
  first.cancel();
  expect(source.isCancelled).toBe(false);
  second.cancel();
  expect(source.isCancelled).toBe(true);
});
