import { Argument, Command, Option } from 'commander';
import { listHelp, metadataHelp, revokeHelp, samlHelp, sessionsHelp, showHelp } from './saml-help.js';

/** The same on every terminal, so that the reference page can show it. */
const helpWidth = 100;

const gather = (value: string, earlier: readonly string[] | undefined): readonly string[] => [
  ...(earlier ?? []),
  value,
];

const program = (name: string, usage: string, say: (text: string) => void): Command =>
  new Command(name)
    .usage(usage)
    .helpOption('-h, --help', 'print this help and end')
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: say,
      writeErr: say,
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    })
    .exitOverride()
    .allowExcessArguments(false);

const option = (flags: string, meaning: string): Option => new Option(flags, meaning).argParser(gather);

/** Makes a command as commander reads it. Nothing is written and nothing ended: `say` gets every text. */
export type Program = (say: (text: string) => void) => Command;

const withAgent = (command: Command, meaning: string): Command =>
  command
    .addOption(option('--config <file>', `the gateway's configuration, ${meaning}`))
    .addOption(option('--agent <name>', 'the agent block to use, where the file has several'));

const withStore = (command: Command): Command =>
  withAgent(command, 'whose agent block names the store')
    .addOption(option('--store-path <file>', 'a file of sqlite, in place of --config'))
    .addOption(option('--entity-id <uri>', 'with --store-path: the entity id of the service provider'));

export const samlProgram: Program = (say) =>
  program('gateway-auth saml', '<command> [options]', say)
    .description('Helps to set up single sign-on. Nothing is served, and no request is made.')
    .addHelpText('after', samlHelp);

export const metadataProgram: Program = (say) =>
  withAgent(program('gateway-auth saml metadata', '[options]', say), 'with the saml block of an agent')
    .description('Writes the metadata of the service provider, for its identity provider.')
    .addHelpText('after', metadataHelp);

export const sessionsProgram: Program = (say) =>
  program('gateway-auth sessions', '<command> [options]', say)
    .description('Looks into the store of sessions, and ends them.')
    .addHelpText('after', sessionsHelp);

const listProgram: Program = (say) =>
  withStore(program('gateway-auth sessions list', '[options]', say))
    .description('Lists the sessions that are kept, the latest first.')
    .addOption(option('--user <id>', 'those of one user'))
    .addOption(option('--limit <count>', 'how many, at the most (default: 100)'))
    .option('--json', 'write JSON')
    .addHelpText('after', listHelp);

const showProgram: Program = (say) =>
  withStore(program('gateway-auth sessions show', '[options] <id>', say))
    .description('Writes everything that is kept of one session.')
    .addArgument(new Argument('<id>', 'the id of the session, or how it begins'))
    .option('--json', 'write JSON')
    .addHelpText('after', showHelp);

const revokeProgram: Program = (say) =>
  withStore(program('gateway-auth sessions revoke', '[options] [ids...]', say))
    .description('Ends sessions: whoever has one has to sign on again.')
    .addArgument(new Argument('[ids...]', 'ids of sessions, or how they begin').default([], 'none'))
    .addOption(option('--user <id>', 'every session of this user, in place of ids'))
    .addHelpText('after', revokeHelp);

export const sessionsCommandNames = ['list', 'show', 'revoke'] as const;
export type SessionsCommandName = (typeof sessionsCommandNames)[number];

export const sessionsPrograms: Readonly<Record<SessionsCommandName, Program>> = {
  list: listProgram,
  show: showProgram,
  revoke: revokeProgram,
};
