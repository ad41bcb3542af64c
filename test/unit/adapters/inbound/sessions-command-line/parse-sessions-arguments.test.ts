import { describe, expect, it } from 'vitest';
import { parseSessionsArguments } from '../../../../../src/adapters/inbound/sessions-command-line/parse-sessions-arguments.js';

const parse = (line: string) => parseSessionsArguments(line === '' ? [] : line.split(' '));
const agent = { kind: 'agent', configFile: 'g.kdl', agentName: null } as const;

describe('the command line of gateway-auth sessions', () => {
  it('asks for a list', () => {
    expect(parse('list --config g.kdl')).toEqual({ kind: 'list', place: agent, userId: null, limit: 100, json: false });
    expect(parse('list --config g.kdl --agent auth --user alice --limit 7 --json')).toEqual({
      kind: 'list',
      place: { ...agent, agentName: 'auth' },
      userId: 'alice',
      limit: 7,
      json: true,
    });
  });

  it('takes a file in place of a configuration', () => {
    expect(parse('list --store-path s.db --entity-id https://gw.example')).toMatchObject({
      place: { kind: 'file', path: 's.db', entityId: 'https://gw.example' },
    });
  });

  it('asks for one session, by the beginning of its id', () => {
    expect(parse('show --config g.kdl 0123ABCD')).toEqual({
      kind: 'show',
      place: agent,
      prefix: '0123abcd',
      json: false,
    });
    expect(parse(`show --json ${'a'.repeat(64)} --config g.kdl`)).toMatchObject({ prefix: 'a'.repeat(64), json: true });
  });

  it('asks for the end of sessions', () => {
    expect(parse('revoke --config g.kdl 01234567 89abcdef')).toEqual({
      kind: 'revoke',
      place: agent,
      sessions: { kind: 'ids', prefixes: ['01234567', '89abcdef'] },
      auditFile: null,
    });
    expect(parse('revoke --config g.kdl --user alice')).toMatchObject({ sessions: { kind: 'user', userId: 'alice' } });
    expect(parse('revoke --config g.kdl --user alice --audit-file /a.log')).toMatchObject({ auditFile: '/a.log' });
  });

  it.each([
    ['', 'no command: choose one of'],
    ['lst', 'list'],
    ['end', 'the commands are list, show, revoke'],
    ['list', 'no store: use'],
    ['list --config', 'argument missing'],
    ['list --config g.kdl --config h.kdl', 'more than once'],
    ['list --config g.kdl more', 'too many arguments'],
    ['list --config g.kdl --limit 0', '--limit must be a number'],
    ['list --config g.kdl --limit 100001', '--limit must be a number'],
    ['list --config g.kdl --limit 1e3', '--limit must be a number'],
    ['list --config g.kdl --limt 3', '--limit'],
    ['list --agent auth', '--agent needs --config'],
    ['list --config g.kdl --store-path s.db', 'exclude each other'],
    ['list --config g.kdl --entity-id x', '--entity-id needs --store-path'],
    ['list --store-path s.db', '--store-path needs --entity-id'],
    ['show --config g.kdl', 'missing required argument'],
    ['show --config g.kdl 0123456', '8 to 64 hexadecimal digits'],
    ['show --config g.kdl 0123456g', '8 to 64 hexadecimal digits'],
    [`show --config g.kdl ${'a'.repeat(65)}`, '8 to 64 hexadecimal digits'],
    ['show --config g.kdl 01234567 89abcdef', 'too many arguments'],
    ['revoke --config g.kdl', 'no sessions: give their ids, or --user'],
    ['revoke --config g.kdl 01234567 %', '8 to 64 hexadecimal digits'],
    ['revoke --config g.kdl --user alice 01234567', 'exclude each other'],
    ['revoke --config g.kdl --user alice --user bob', 'more than once'],
  ])('refuses "%s"', (line, clause) => {
    const said = parse(line);
    expect(said).toMatchObject({
      kind: 'usage',
      exitCode: 2,
      stderr: expect.stringContaining('--help shows the usage'),
    });
    expect(said.kind === 'usage' && said.stderr).toContain(clause);
  });

  it('refuses an empty value, which would mean every user', () => {
    for (const flag of ['--user', '--config', '--agent', '--store-path']) {
      expect(parseSessionsArguments(['revoke', '--config', 'g.kdl', flag, ''])).toMatchObject({
        kind: 'usage',
        exitCode: 2,
      });
    }
  });
});
