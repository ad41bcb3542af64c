import { describe, expect, it } from 'vitest';
import { JsonTexts, statusText } from '../../../../../src/adapters/outbound/pino-log/pino-access-log.js';

describe('texts that come again', () => {
  it('stand in what is around them, whatever they hold, and each time alike', () => {
    const texts = new JsonTexts(',"a":', ',"b":');
    for (const text of ['plain', 'quo"te', '\u009b', '', 'x'.repeat(1_000)]) {
      const first = texts.of(text);
      expect(JSON.parse(`{"z":0${first}1}`)).toEqual({ z: 0, a: text, b: 1 });
      expect(texts.of(text)).toBe(first);
    }
    expect(texts.of(null)).toBe(',"a":null,"b":');
  });

  it('have nothing around them where nothing is said', () => {
    expect(new JsonTexts().of('text')).toBe('"text"');
  });
});

describe('a status', () => {
  it('is its number, whether HTTP has it or not', () => {
    for (const status of [100, 200, 404, 599, 99, 600, 0, -1, 1_000]) {
      expect(statusText(status)).toBe(`${status},"duration_ms":`);
    }
  });
});
