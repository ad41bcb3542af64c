import { describe, expect, it } from 'vitest';
import { MeteredBody } from '../../../../../src/application/gateway/proxy-request/metered-body.js';
import { BodyReadError, type BodySource } from '../../../../../src/application/ports/gateway/body-source.js';
import { ScriptedBody } from '../../../../support/gateway/scripted-body.js';

/** A body whose pieces are available at once; `null` is its end. */
const readyBody = (...reads: (() => Uint8Array | null)[]): BodySource => ({
  declaredLength: null,
  read: () => reads.shift()?.() ?? null,
  trailers: () => [],
  cancel: () => undefined,
});

const octets = (length: number) => () => Buffer.alloc(length);

describe('a metered body', () => {
  it('returns available pieces synchronously', () => {
    const body = new MeteredBody(readyBody(octets(2), octets(3)), 5);
    expect([body.read(), body.read(), body.read()]).toEqual([Buffer.alloc(2), Buffer.alloc(3), null]);
    expect([body.octets, body.failure]).toEqual([5, null]);
  });

  it('fails after its limit, in synchronous and asynchronous reads', async () => {
    const ready = new MeteredBody(readyBody(octets(2), octets(4)), 5);
    expect(ready.read()).toHaveLength(2);
    expect(() => ready.read()).toThrow(BodyReadError);
    const late = new MeteredBody(new ScriptedBody(['ab', 'cdef']), 5);
    await late.read();
    await expect(late.read()).rejects.toThrow(BodyReadError);
    expect([ready.failure, late.failure]).toEqual(['too_large', 'too_large']);
  });

  it('records the reason of a failed read, in synchronous and asynchronous reads', async () => {
    const fail = (): never => {
      throw new BodyReadError('malformed', 'no chunk');
    };
    const ready = new MeteredBody(readyBody(fail), 5);
    expect(() => ready.read()).toThrow('no chunk');
    const late = new MeteredBody(new ScriptedBody([null]), 5);
    await expect(late.read()).rejects.toThrow('went away');
    expect([ready.failure, late.failure]).toEqual(['malformed', 'aborted']);
  });
});
