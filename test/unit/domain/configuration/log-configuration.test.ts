import { describe, expect, it } from 'vitest';
import { readLogConfiguration } from '../../../../src/domain/configuration/log-configuration.js';

const read = (level?: string, format?: string, verbose = false) => readLogConfiguration({ level, format, verbose });
const configurationOf = (level?: string, format?: string, verbose = false) => {
  const result = read(level, format, verbose);
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

describe('the level', () => {
  it.each([
    [undefined, 'info'],
    ['', 'info'],
    ['  ', 'info'],
    [',,', 'info'],
    ['error', 'error'],
    ['warn', 'warn'],
    ['info', 'info'],
    ['debug', 'debug'],
    ['trace', 'trace'],
    ['off', 'off'],
    ['WARN', 'warn'],
    [' debug ', 'debug'],
    ['gateway=debug,info', 'debug'],
    ['info,gateway=debug', 'debug'],
    ['portcullis=trace', 'trace'],
    ['gateway-auth = warn', 'warn'],
    ['warn,debug', 'debug'],
    ['gateway=warn,gateway=error', 'error'],
  ])('of %j is %s, without a warning', (setting, level) => {
    expect(configurationOf(setting)).toEqual({ level, format: 'json', warning: null });
  });

  it.each([
    ['loud', 'info'],
    ['hyper=trace', 'info'],
    ['hyper=trace,warn', 'warn'],
    ['gateway=', 'info'],
    ['gateway=loud,error', 'error'],
    ['=debug', 'info'],
    ['a=b=debug', 'info'],
    ['gateway=debug=trace', 'info'],
  ])('of %j is %s, and one warning names invalid parts', (setting, level) => {
    const { level: taken, warning } = configurationOf(setting);
    expect(taken).toBe(level);
    expect(warning).toContain('RUST_LOG');
    expect(warning).toContain(`the log level is ${level}`);
  });

  it('is debug with --verbose alone', () => {
    expect(configurationOf(undefined, undefined, true).level).toBe('debug');
    expect(configurationOf('warn', undefined, true).level).toBe('warn');
  });

  it('shows little of a long or hostile setting, on one line', () => {
    const { warning } = configurationOf(Array.from({ length: 1000 }, () => `x\n\u001b${'y'.repeat(1000)}`).join(','));
    expect(warning?.length).toBeLessThan(600);
    expect(warning).not.toMatch(/\n/);
  });
});

describe('the format', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['json', 'json'],
    ['pretty', 'pretty'],
    ['PRETTY', 'pretty'],
  ])('of %j is %s', (setting, format) => {
    expect(configurationOf(undefined, setting).format).toBe(format);
  });

  it.each(['yaml', 'true', 'pretty,json'])('%s is refused with the valid values', (setting) => {
    expect(read(undefined, setting)).toEqual({
      ok: false,
      error: `GATEWAY_LOG_FORMAT must be "json" or "pretty", not "${setting}"`,
    });
  });
});
