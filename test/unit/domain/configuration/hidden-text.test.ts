import { expect, it } from 'vitest';
import { hiddenInLine } from '../../../../src/domain/configuration/hidden-text.js';

it.each([
  'target "http://user:s3cret@host"',
  'target "http://user:s3/cr@et-s3cret@host"',
  'target "http:\\/\\/user:s3cret@host" more',
  'url #"redis://u:a"s3cret@h"#',
  'url "https://s3cret@host/1"',
  'hook "https://h/x?a=b&access_token=s3cret"',
  'hook "https://h/x?sig=s3cret#y"',
  'header "Authorization" "Bearer s3cret"',
  'target "user:s3cret@host:80"',
  'target "user:s3,cr/et@s3cret@host:80"',
  'proxy=user:s3cret@host',
  'target "redis://user:12345/s3cret@host"',
  'target "redis://a@b redis://user:s3cret@host"',
  'db "host=h;password=s3cret;x=y"',
])('%s shows no secret', (line) => {
  expect(hiddenInLine(line)).not.toContain('s3cret');
});

it('hides a password of digits', () => {
  expect(hiddenInLine('target "redis://user:12345/x@host"')).not.toContain('12345');
});

it.each([
  `?${'key'.repeat(350_000)}`,
  '://a:'.repeat(210_000),
  `${'://a:1/'.repeat(150_000)}@`,
  '?a'.repeat(520_000),
  'a:@'.repeat(350_000),
  `"${'\\\\'.repeat(520_000)}`,
  `password${' '.repeat(1_048_000)}`,
])('finishes for a mebibyte of hostile text, number %#', (text) => {
  expect(hiddenInLine(text).length).toBeGreaterThan(0);
});

it.each([
  'target "http://host.example:8080/a@b?x=y"',
  'mail "mailto:a@b.example"',
  'principal "User::\\"alice\\""',
  'path-prefix "/token/key"',
  'must be host:port, not "a b"',
])('%s stays as it is', (line) => expect(hiddenInLine(line)).toBe(line));
