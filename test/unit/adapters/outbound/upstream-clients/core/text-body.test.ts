import { describe, expect, it } from 'vitest';
import { TextBody } from '../../../../../../src/adapters/outbound/upstream-clients/core/received-response.js';

const every = String.fromCharCode(...Array.from({ length: 256 }, (_, octet) => octet));
const body = (): TextBody => new TextBody(`head${every}`, 4);

describe('a body that is a text', () => {
  it('is given once as octets, however late, and then has ended', () => {
    const late = body();
    expect([late.declaredLength, late.trailers()]).toEqual([256, []]);
    expect(late.read()).toEqual(Buffer.from(every, 'latin1'));
    expect([late.read(), late.readText()]).toEqual([null, null]);
  });

  it('is given once as text, and then has ended', () => {
    const once = body();
    expect(once.readText()).toBe(every);
    expect([once.readText(), once.read()]).toEqual([null, null]);
  });

  it('has ended where it is not wanted', () => {
    const unwanted = body();
    unwanted.cancel();
    expect([unwanted.read(), unwanted.readText()]).toEqual([null, null]);
  });
});
