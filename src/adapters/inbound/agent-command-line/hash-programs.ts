import { Command, Option } from 'commander';
import { passwordAlgorithms } from '../../../domain/agent/identity/new-password.js';

/** The same on every terminal, so that the reference page can show it. */
const helpWidth = 100;

const passwordHelp = `
The password is never an argument, which everyone on the machine could see and the shell would keep. On a terminal it is asked
for twice and not shown; otherwise it is the one line of the standard input.
The hash is written to the standard output. A password in the clear in basic-auth-users can be replaced by it.

Algorithms, with the cost that OWASP advises:
  argon2id  m=19456,t=2,p=1: 19 MiB of memory a check; the one to choose
  bcrypt    cost 12, for what has to be read elsewhere; passwords of 72 bytes at the most
  scrypt    ln=17,r=8,p=1: 128 MiB of memory a check

Examples:
  gateway-auth hash-password --user ann                         ask, then write ann:$argon2id$...
  gateway-auth hash-password --user ann >> /etc/portcullis/users
                                                                add a line to a file that
                                                                basic-auth-users names as @/etc/portcullis/users
  gateway-auth hash-password --algorithm bcrypt < password.txt  read the password from a file

In a shell and in files that a shell reads, put a hash in single quotes: it has $ in it.

Exit codes:
  0    the hash is written
  1    this machine cannot make it
  2    wrong usage, or a password or name that will not do
  130  interrupted
`;

const keyHelp = `
The key is never an argument, which everyone on the machine could see and the shell would keep. It is the one line of the
standard input, or what is typed at a terminal, which does not show it. With --generate there is none to read: a new one of
256 random bits is made, shown once on the standard error, and kept nowhere.
The digest is written to the standard output, as an entry of api-keys has it: sha256:<digest>:<name>. Clients go on sending
the key itself.

The digest has no salt and is fast to make, because a request must not be slow. That is safe for random keys alone: a short
one, or one that somebody thought up, could be found from its digest. Keys under 20 characters are refused.

Examples:
  gateway-auth hash-key --generate --name reports                 a new key, and the entry for it
  gateway-auth hash-key --generate --name reports >> /etc/portcullis/keys
                                                                  the key is shown, the entry goes to the file
  gateway-auth hash-key --name reports < reports.key              the entry for a key that is in use

Exit codes:
  0    the digest is written
  2    wrong usage, or a key or name that will not do
  130  interrupted
`;

const gather = (value: string, earlier: readonly string[] | undefined): readonly string[] => [
  ...(earlier ?? []),
  value,
];

const hashProgram = (name: string, say: (text: string) => void): Command =>
  new Command(`gateway-auth ${name}`)
    .usage('[options]')
    .helpOption('-h, --help', 'print this help and end')
    .configureOutput({
      writeOut: say,
      writeErr: () => {},
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    })
    .exitOverride()
    .allowExcessArguments(false);

/** `gateway-auth hash-password` as commander reads it. Of errors nothing is said: they would repeat what was given. */
export const hashPasswordProgram = (say: (text: string) => void): Command =>
  hashProgram('hash-password', say)
    .description('Hashes a password for basic-auth-users, so that the configuration does not give it away.')
    .addOption(
      new Option(
        '--algorithm <name>',
        `${passwordAlgorithms.join(', ')} (default: ${passwordAlgorithms[0]})`,
      ).argParser(gather),
    )
    .addOption(new Option('--user <name>', 'write the whole entry, <name>:<hash>').argParser(gather))
    .addHelpText('after', passwordHelp);

/** `gateway-auth hash-key` as commander reads it. Of errors nothing is said: they would repeat what was given. */
export const hashKeyProgram = (say: (text: string) => void): Command =>
  hashProgram('hash-key', say)
    .description('Hashes an API key for api-keys, so that the configuration does not give it away.')
    .option('--generate', 'make a new key instead of reading one')
    .addOption(new Option('--name <name>', 'write the whole entry, sha256:<digest>:<name>').argParser(gather))
    .addHelpText('after', keyHelp);
