import { describe, expect, it } from 'vitest';
import {
  hasPlaceholders,
  type PlaceholderValues,
  parseTemplate,
  renderTemplate,
} from '../../../../../src/domain/gateway/route-transforms/placeholder-template.js';

const values: PlaceholderValues = {
  client_ip: '192.0.2.1',
  host: 'api.test',
  method: 'GET',
  path: '/a',
  query: '?b=1',
  path_query: '/a?b=1',
  scheme: 'https',
  correlation_id: 'c-1',
  user_id: '',
  route: 'main',
  upstream: 'api',
};

const render = (text: string, own: Partial<PlaceholderValues> = {}): string => {
  const template = parseTemplate(text);
  if (!template.ok) throw new Error(template.error);
  return renderTemplate(template.value, { ...values, ...own });
};

describe('a text with placeholders', () => {
  it.each([
    ['{client_ip}', '192.0.2.1'],
    ['https://{host}{path_query}', 'https://api.test/a?b=1'],
    ['{route}/{upstream}', 'main/api'],
    ['[{user_id}]', '[]'],
    ['no braces', 'no braces'],
    ['', ''],
  ])('fills %s in', (text, filled) => {
    expect(render(text)).toBe(filled);
  });

  it.each([
    ['{{path}', '{path}'],
    ['{{{path}', '{/a'],
    ['{{{{', '{{'],
    ['{"a":1}', '{"a":1}'],
    ['{', '{'],
    ['{}', '{}'],
    ['{Path}', '{Path}'],
    ['{path', '{path'],
    ['{ path}', '{ path}'],
    ['}', '}'],
  ])('keeps the braces of %s', (text, kept) => {
    expect(render(text)).toBe(kept);
  });

  it.each(['{unknown}', 'a{client-ip}{nope}', '{_}', '{pathquery}'])('refuses the unknown name in %s', (text) => {
    expect(parseTemplate(text)).toMatchObject({ ok: false });
  });

  it('has no control characters, whatever the values hold', () => {
    expect(render('a{host}b', { host: 'x\r\nSet-Cookie: y\u0000\u007f' })).toBe('axSet-Cookie: yb');
  });

  it('tells a constant from a text that depends on the request', () => {
    const parsed = (text: string) => {
      const template = parseTemplate(text);
      return template.ok && hasPlaceholders(template.value);
    };
    expect([parsed('a{{host}'), parsed('a{host}')]).toEqual([false, true]);
  });
});
