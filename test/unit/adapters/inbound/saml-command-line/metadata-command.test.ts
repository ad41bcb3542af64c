import { describe, expect, it } from 'vitest';
import { parseSamlArguments } from '../../../../../src/adapters/inbound/saml-command-line/metadata-command.js';

describe('the command line of gateway-auth saml', () => {
  it('asks for the metadata', () => {
    expect(parseSamlArguments(['metadata', '--config', 'g.kdl'])).toEqual({
      kind: 'metadata',
      configFile: 'g.kdl',
      agentName: null,
    });
    expect(parseSamlArguments(['metadata', '--agent', 'auth', '--config', 'g.kdl'])).toMatchObject({
      agentName: 'auth',
    });
  });

  it.each([
    [[], 'no command: choose one of'],
    [['metdata'], 'metadata'],
    [['login'], 'the only command is metadata'],
    [['metadata'], '--config FILE is missing'],
    [['metadata', '--config', ''], '--config is empty'],
    [['metadata', '--config', 'g.kdl', 'x'], 'too many arguments'],
    [['metadata', '--config', 'g.kdl', '--agent', 'a', '--agent', 'b'], 'more than once'],
  ])('refuses %j', (argv, clause) => {
    const said = parseSamlArguments(argv);
    expect(said).toMatchObject({ kind: 'usage', exitCode: 2, stderr: expect.stringContaining(clause) });
  });
});
