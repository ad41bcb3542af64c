import { describe, expect, it } from 'vitest';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const withAudit = (body: string): string => configurationText({ more: `audit { ${body} }` });

describe('audit', () => {
  it('is absent by default', () => {
    expect(soundConfiguration(configurationText()).audit).toBeNull();
  });

  it.each([
    ['output "stdout"', { kind: 'stdout' }],
    ['', { kind: 'stdout' }],
    ['file #null', { kind: 'stdout' }],
    ['file "/var/log/portcullis/audit.log"', { kind: 'file', path: '/var/log/portcullis/audit.log' }],
    ['file "/audit log"; output #null', { kind: 'file', path: '/audit log' }],
  ])('is what was written: %s', (body, output) => {
    expect(soundConfiguration(withAudit(body)).audit).toEqual({ output });
  });

  it.each([
    ['output "file"', 'error: "output" must be "stdout", not "file" (write file "/var/log/portcullis/audit.log")'],
    ['output "/var/log/audit.log"', '(write file "/var/log/portcullis/audit.log")'],
    ['output "stdot"', 'did you mean "stdout"?'],
    ['output "stderr"', 'error: "output" must be "stdout", not "stderr"'],
    ['output "stdout"; file "/a"', 'error: "output" and "file" exclude each other'],
    ['file "audit.log"', 'error: "file" must be an absolute path of a file'],
    ['file "/var/log/"', 'error: "file" must be an absolute path of a file'],
    ['file "/var//log"', 'error: "file" must be an absolute path of a file'],
    ['file "/a\\nb"', 'error: "file" must be an absolute path of a file'],
    ['fil "/a"', 'did you mean "file"?'],
    ['stream #true', 'unknown key "stream"'],
  ])('is refused: %s', (body, message) => {
    const found = problemsOf(withAudit(body));
    expect(
      found.some((one) => one.includes(message)),
      found.join('\n'),
    ).toBe(true);
  });
});
