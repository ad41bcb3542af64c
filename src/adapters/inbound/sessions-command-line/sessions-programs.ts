import { Argument, type Command } from 'commander';
import { newProgram, type Program, valueFlag, withAgentBlock } from '../../command-line/program.js';

export const sessionsGroup = 'gateway-auth sessions';

const sessionsHelp = `
Commands; each has its own --help:
  gateway-auth sessions list    list sessions, the latest first
  gateway-auth sessions show    show all data of a session
  gateway-auth sessions revoke  end sessions

The store is that of an agent block (--config), or a SQLite file (--store-path and --entity-id). The commands do not create a
missing store. Only its owner can read a SQLite file, so run them as the user of the agent.

Examples:
  gateway-auth sessions list --config gateway.kdl --agent auth
  gateway-auth sessions show --config gateway.kdl 3f9a1c7be204
  gateway-auth sessions revoke --config gateway.kdl --user alice@example.com
`;

const storeExitCodes = `
  1  the configuration has errors, or the store is unavailable`;

const listHelp = `
Writes one line for each session: the start of its id, user, state by time (active, idle or expired), times of creation,
expiry and last use, method (saml or oidc), and the identity provider. Times are in UTC. Ended sessions appear until the agent removes them. The time of
last use is some seconds late. The id is a hash and no credential.

Examples:
  gateway-auth sessions list --config gateway.kdl                          the latest 100
  gateway-auth sessions list --config gateway.kdl --user alice --limit 10
  gateway-auth sessions list --store-path /var/lib/gateway-auth/sessions.db \\
      --entity-id https://gateway.example/saml/metadata --json

Exit codes:
  0  the sessions are written, or there are none${storeExitCodes}
  2  wrong usage
`;

const showHelp = `
The id may be shortened to 8 or more characters if it stays unique. The output contains the attributes or
claims from the identity provider: treat it as personal data. It contains no tokens.

Examples:
  gateway-auth sessions show --config gateway.kdl 3f9a1c7be204
  gateway-auth sessions show --config gateway.kdl --json 3f9a1c7b

Exit codes:
  0  the session is written${storeExitCodes}, or the id matches no session or several
  2  wrong usage
`;

const revokeHelp = `
Agents notice within 5 seconds. The session at the identity provider continues and signs the user on again without a prompt,
so block the account there first. If one of several ids is unknown or not unique, nothing is revoked.

The audit log of the configuration (--config) gets a record of each revoked session, with the user who ran the command. Its file
must exist. If the log is standard output, the records go to standard error. If the file cannot be opened, nothing is revoked:
name another one with --audit-file.

Examples:
  gateway-auth sessions revoke --config gateway.kdl 3f9a1c7be204 77aa01b2c3d4
  gateway-auth sessions revoke --config gateway.kdl --user alice@example.com

Exit codes:
  0  the sessions are revoked; a user may have had none${storeExitCodes}, or an id is unknown or not
     unique, or the audit log cannot be written
  2  wrong usage
`;

const withStore = (command: Command): Command =>
  withAgentBlock(command, 'configuration of the gateway, whose agent block names the store')
    .addOption(valueFlag('--store-path <file>', 'SQLite file, instead of --config'))
    .addOption(
      valueFlag('--entity-id <uri>', 'with --store-path: entity id; without saml, the origin of the first public-url'),
    );

export const sessionsProgram: Program = (print) =>
  newProgram(sessionsGroup, '<command> [options]', print)
    .description('Lists, shows and revokes sessions.')
    .addHelpText('after', sessionsHelp);

const listProgram: Program = (print) =>
  withStore(newProgram(`${sessionsGroup} list`, '[options]', print))
    .description('Lists the stored sessions, the latest first.')
    .addOption(valueFlag('--user <id>', 'only sessions of this user'))
    .addOption(valueFlag('--limit <count>', 'largest number of sessions (default: 100)'))
    .option('--json', 'write JSON')
    .addHelpText('after', listHelp);

const showProgram: Program = (print) =>
  withStore(newProgram(`${sessionsGroup} show`, '[options] <id>', print))
    .description('Shows all stored data of a session.')
    .addArgument(new Argument('<id>', 'id of the session, or its start'))
    .option('--json', 'write JSON')
    .addHelpText('after', showHelp);

const revokeProgram: Program = (print) =>
  withStore(newProgram(`${sessionsGroup} revoke`, '[options] [ids...]', print))
    .description('Revokes sessions: their users must sign on again.')
    .addArgument(new Argument('[ids...]', 'ids of sessions, or their starts').default([], 'none'))
    .addOption(valueFlag('--user <id>', 'all sessions of this user, instead of ids'))
    .addOption(valueFlag('--audit-file <file>', 'audit log, instead of that of the configuration'))
    .addHelpText('after', revokeHelp);

export const sessionsCommandNames = ['list', 'show', 'revoke'] as const;
export type SessionsCommandName = (typeof sessionsCommandNames)[number];

export const sessionsPrograms: Readonly<Record<SessionsCommandName, Program>> = {
  list: listProgram,
  show: showProgram,
  revoke: revokeProgram,
};
