import { Argument, type Command } from 'commander';
import { newProgram, type Program, valueFlag, withAgentBlock } from '../../command-line/program.js';

export const sessionsGroup = 'gateway-auth sessions';

const sessionsHelp = `
Commands, each with a --help of its own:
  gateway-auth sessions list    the sessions that are kept, the latest first
  gateway-auth sessions show    everything that is kept of one
  gateway-auth sessions revoke  end sessions

The store is that of an agent block (--config), or a file of sqlite (--store-path and --entity-id). A store that is missing is not
made. A sqlite file can be read by its owner alone: run these as the user that the agent runs as.

Examples:
  gateway-auth sessions list --config gateway.kdl --agent auth
  gateway-auth sessions show --config gateway.kdl 3f9a1c7be204
  gateway-auth sessions revoke --config gateway.kdl --user alice@example.com
`;

const storeExitCodes = `
  1  the configuration has errors, or the store cannot be used`;

const listHelp = `
One line for each session: the beginning of its id, the user, its state (active, idle or expired, as far as time tells), when it was
created, expires and was last seen, and the identity provider. Times are UTC. Sessions that are over are there until the agent
removes them. When a session was last seen is noted some seconds later. The id is a hash: it signs nobody in.

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
An id may be shortened, to 8 characters and more, as long as no other session begins so. Attributes are those that the identity
provider sent: mind where the output goes.

Examples:
  gateway-auth sessions show --config gateway.kdl 3f9a1c7be204
  gateway-auth sessions show --config gateway.kdl --json 3f9a1c7b

Exit codes:
  0  the session is written${storeExitCodes}, or there is no such session, or several
  2  wrong usage
`;

const revokeHelp = `
Agents notice within 5 seconds. The session at the identity provider goes on: whoever still has that one is signed in again without
being asked, so block the account there first. Where one of several ids is unknown, or not unique, nothing is revoked.

Examples:
  gateway-auth sessions revoke --config gateway.kdl 3f9a1c7be204 77aa01b2c3d4
  gateway-auth sessions revoke --config gateway.kdl --user alice@example.com

Exit codes:
  0  the sessions are gone; of a user there may have been none${storeExitCodes}, or an id is unknown or not unique
  2  wrong usage
`;

const withStore = (command: Command): Command =>
  withAgentBlock(command, "the gateway's configuration, whose agent block names the store")
    .addOption(valueFlag('--store-path <file>', 'a file of sqlite, in place of --config'))
    .addOption(valueFlag('--entity-id <uri>', 'with --store-path: the entity id of the service provider'));

export const sessionsProgram: Program = (print) =>
  newProgram(sessionsGroup, '<command> [options]', print)
    .description('Looks into the store of sessions, and ends them.')
    .addHelpText('after', sessionsHelp);

const listProgram: Program = (print) =>
  withStore(newProgram(`${sessionsGroup} list`, '[options]', print))
    .description('Lists the sessions that are kept, the latest first.')
    .addOption(valueFlag('--user <id>', 'those of one user'))
    .addOption(valueFlag('--limit <count>', 'how many, at most (default: 100)'))
    .option('--json', 'write JSON')
    .addHelpText('after', listHelp);

const showProgram: Program = (print) =>
  withStore(newProgram(`${sessionsGroup} show`, '[options] <id>', print))
    .description('Writes everything that is kept of one session.')
    .addArgument(new Argument('<id>', 'the id of the session, or how it begins'))
    .option('--json', 'write JSON')
    .addHelpText('after', showHelp);

const revokeProgram: Program = (print) =>
  withStore(newProgram(`${sessionsGroup} revoke`, '[options] [ids...]', print))
    .description('Ends sessions: whoever has one has to sign on again.')
    .addArgument(new Argument('[ids...]', 'ids of sessions, or how they begin').default([], 'none'))
    .addOption(valueFlag('--user <id>', 'every session of this user, in place of ids'))
    .addHelpText('after', revokeHelp);

export const sessionsCommandNames = ['list', 'show', 'revoke'] as const;
export type SessionsCommandName = (typeof sessionsCommandNames)[number];

export const sessionsPrograms: Readonly<Record<SessionsCommandName, Program>> = {
  list: listProgram,
  show: showProgram,
  revoke: revokeProgram,
};
