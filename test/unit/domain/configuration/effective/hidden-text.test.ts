import { expect, it } from 'vitest';
import { hiddenInLine } from '../../../../../src/domain/configuration/effective/hidden-text.js';

it.each([
  'target "http://user:s3cret@host"',
  'target "http://user:s3/cr@et-s3cret@host"',
  'target "http:\\/\\/user:s3cret@host" more',
  'url #"redis://u:a"s3cret@h"#',
  'url "https://s3cret@host/1"',
  'hook "https://h/x?a=b&access_token=s3cret"',
  'hook "https://h/x?sig=s3cret#y"',
  'header "Authorization" "Bearer s3cret"',
  'db "host=h;password=s3cret;x=y"',
])('%s shows no secret', (line) => {
  expect(hiddenInLine(line)).not.toContain('s3cret');
});

it.each(['target "http://host:8080/a@b?x=y"', 'path-prefix "/token/key"', 'must be host:port, not "a b"'])(
  '%s stays as it is',
  (line) => expect(hiddenInLine(line)).toBe(line),
);
