import { describe, expect, it } from 'vitest';
import { reloadReport } from '../../../../../src/adapters/inbound/gateway-command-line/reload-report.js';
import type { JsonValue } from '../../../../../src/domain/shared/json.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';

const where = '127.0.0.1:9090';
const said = (status: number, body: JsonValue = null) => reloadReport(ok({ status, body }), where);

describe('what gateway reload says', () => {
  it('is that it was done', () => {
    expect(said(200, { reloaded: true, config_reload_count: 3 })).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: 'The configuration was reloaded (reload 3 since the start).\n',
    });
  });

  it.each([[null], [{}], [{ reloaded: false }], ['ok'], [[true]]])('is not a success if a 200 contains %j', (body) => {
    expect(said(200, body).exitCode).toBe(1);
  });

  it('has the problems of the file', () => {
    const { exitCode, stderr } = said(422, { problems: ['a.kdl:1:1: error: no\n  line', 7, 'error: taken'] });
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'a.kdl:1:1: error: no\n  line\nerror: taken\nerror: the configuration was not reloaded; the previous one stays active\n',
    );
  });

  it.each([
    [401, 'refuses the token'],
    [403, 'accepts no reload: because'],
    [404, 'no endpoint for a reload'],
    [409, 'was not reloaded: because'],
    [503, 'answered 503: because'],
    [302, 'answered 302'],
  ])('has the reason of a %d', (status, words) => {
    const { exitCode, stderr } = said(status, { detail: 'because' });
    expect([exitCode, stderr.includes(words)]).toEqual([1, true]);
  });

  it('reports a reload in progress', () => {
    const { exitCode, stderr } = said(202, { reloaded: false, under_way: true });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is still loading the configuration');
    expect(stderr).toContain('/status');
    expect(stderr).not.toContain('not reloaded');
  });

  it('reports a reload after an upgrade', () => {
    const { exitCode, stderr } = said(202, { reloaded: false, under_way: true, detail: 'once the upgrade is over' });
    expect([exitCode, stderr]).toEqual([
      1,
      'error: the configuration was not reloaded yet: once the upgrade is over\n',
    ]);
  });

  it('shows no control characters of a response', () => {
    const evil = '\u001b[2Jgone\u202e\u0007';
    for (const { stderr } of [said(422, { problems: [evil] }), said(409, { detail: evil })]) {
      expect(stderr).not.toMatch(/[\u001b\u0007\u202e]/);
    }
  });

  it('is clear if no gateway answers', () => {
    const failed = (kind: 'nobody_listens' | 'timed_out' | 'failed') =>
      reloadReport(err({ kind, detail: 'no response within 70 s' }), where).stderr;
    expect(failed('nobody_listens')).toContain('no server at 127.0.0.1:9090');
    expect(failed('timed_out')).toContain('no response within 70 s');
  });
});
